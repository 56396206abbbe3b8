import { defineConfig } from '@playwright/test'

/** `npm test` runs the project "e2e", `npm run screenshots` the project "screenshots". */
export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  timeout: 60_000,
  expect: { timeout: 10_000 },
  retries: 0,
  workers: 1,
  forbidOnly: process.env['CI'] !== undefined,
  reporter: 'list',
  projects: [
    { name: 'e2e', testMatch: '**/*.test.ts' },
    { name: 'screenshots', testMatch: 'screenshots.ts', timeout: 180_000 },
  ],
})
