// The measuring run, `npm run measure`: figures of the pages in a real browser, one worker, nothing else at the same time. It fails when
// something does not work, never because it is slow.
//   LOGGIA_BIN      the hub's binary; a release build for figures that mean something
//   LOGGIA_PALACE   a folder with a long log, for its first paint; left out where there is none
import { defineConfig } from '@playwright/test';

import config from './playwright.config.ts';

export default defineConfig({ ...config, testDir: './measure', testMatch: '*.measure.ts', outputDir: './test-results/measure', workers: 1, timeout: 600_000 });
