import { defineConfig } from '@playwright/test'

/** A worker reads this file, too: its windows open on a screen of its own, where nobody takes their focus. */
const displays = process.env['TROUPE_TEST_DISPLAYS']?.split(' ') ?? []
const ownDisplay = displays[Number(process.env['TEST_PARALLEL_INDEX'])]
if (ownDisplay) process.env['DISPLAY'] = ownDisplay

/** `npm test` runs the projects "e2e" and "chromium", `npm run screenshots` the project "screenshots". */
export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  // For machines that are busy: no test here measures time.
  timeout: 240_000,
  expect: { timeout: 40_000 },
  fullyParallel: true,
  // Tells a test that sometimes fails from one that always does. The runner counts both as failed.
  retries: 1,
  workers: Math.max(1, displays.length),
  forbidOnly: process.env['CI'] !== undefined,
  reporter: 'list',
  projects: [
    // The harness has unit tests.
    { name: 'e2e', testMatch: '**/*.test.ts', testIgnore: ['harness/**', 'chromium/**'] },
    { name: 'chromium', testMatch: 'chromium/**/*.test.ts' },
    { name: 'screenshots', testMatch: 'screenshots.ts', timeout: 180_000 },
  ],
})
