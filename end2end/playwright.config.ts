// How the browser tests run. `cargo xtask e2e` starts them and says by environment where things are:
//   LOGGIA_BIN       the hub's binary, which each worker starts for itself
//   LOGGIA_PYTHON    a Python that has the packages of requirements.txt
//   LOGGIA_CHROMIUM  the browser
//   LOGGIA_MODEL     the folder with the model's archive
// No `webServer` here: a spec starts the hub that it needs, on a palace of its own.
import { availableParallelism } from 'node:os';

import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: './tests',
  outputDir: './test-results',
  reporter: [['list']],
  // Half of a test is waiting for the hub or the browser.
  workers: Math.ceil(availableParallelism() * 1.5),
  // A test that passes the second time is a fault to find, not noise to hide.
  retries: 0,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  use: {
    browserName: 'chromium',
    // A trace costs every test a third of its time: `cargo xtask e2e -- --trace retain-on-failure` records one.
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: process.env.LOGGIA_CHROMIUM ?? '/usr/bin/chromium',
      args: [
        '--disable-gpu',
        '--disable-dev-shm-usage',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
