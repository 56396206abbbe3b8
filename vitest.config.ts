import react from '@vitejs/plugin-react'
import { configDefaults, defineConfig } from 'vitest/config'

const integrationTests = '**/*.integration.test.ts'

export default defineConfig({
  test: {
    passWithNoTests: true,
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    projects: [
      {
        test: {
          name: 'unit',
          // For machines that are busy: no test here measures time.
          testTimeout: 30_000,
          environment: 'node',
          include: ['{src,scripts,bench}/**/*.test.ts'],
          exclude: [...configDefaults.exclude, integrationTests, 'src/renderer/**'],
        },
      },
      {
        plugins: [react()],
        test: {
          name: 'window',
          testTimeout: 30_000,
          environment: 'happy-dom',
          include: ['src/renderer/**/*.test.{ts,tsx}'],
          exclude: [...configDefaults.exclude, integrationTests],
        },
      },
      {
        test: {
          name: 'integration',
          environment: 'node',
          include: [`{src,scripts,bench}/${integrationTests}`],
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
    ],
  },
})
