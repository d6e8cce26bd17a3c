// The pictures of the documents, `npm run pictures`, into `docs/pictures`; by hand, after the pages have changed. Not part of the tests:
// whether a picture is right is judged by eye. `cargo xtask e2e -- --config pictures.config.ts` builds first and says where things are.
import { defineConfig } from '@playwright/test';

import config from './playwright.config.ts';

export default defineConfig({ ...config, testDir: './pictures', testMatch: '*.picture.ts', outputDir: './test-results/pictures', workers: 1, timeout: 120_000 });
