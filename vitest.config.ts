import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import react from '@vitejs/plugin-react'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const integrationTests = '**/*.integration.test.ts'

/** Takes files by their paths and tells the workers which, so that they know how far a run is: `unhurried-runner.ts`. */
class ByPath extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const byPath = files.toSorted((one, other) => (one.moduleId < other.moduleId ? -1 : 1))
    process.env['TROUPE_TEST_FILES'] = byPath
      .map(({ moduleId }) => relative(import.meta.dirname, moduleId))
      .join(' ')
    return byPath
  }
}

const cores = availableParallelism()

/** For machines that are busy: a condition of `expect.poll` has this many ms instead of one second. */
const patience = { poll: { timeout: 60_000 } }

export default defineConfig({
  test: {
    maxWorkers: cores,
    passWithNoTests: true,
    sequence: { sequencer: ByPath },
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    projects: [
      {
        test: {
          name: 'unit',
          // What several files import is loaded once: none of it keeps state that another test could see.
          isolate: false,
          // For machines that are busy: no test here measures time.
          testTimeout: 90_000,
          expect: patience,
          environment: 'node',
          include: ['{src,scripts,bench,e2e/harness}/**/*.test.ts'],
          exclude: [...configDefaults.exclude, integrationTests, 'src/renderer/**'],
        },
      },
      {
        plugins: [react()],
        test: {
          name: 'window',
          // Each file has its own globals all the same, and what they import is compiled once.
          pool: 'vmThreads',
          testTimeout: 90_000,
          expect: patience,
          environment: 'happy-dom',
          setupFiles: [
            'src/renderer/testing/patient-queries.ts',
            'src/renderer/testing/late-selection-change.ts',
          ],
          include: ['src/renderer/**/*.test.{ts,tsx}'],
          exclude: [...configDefaults.exclude, integrationTests],
        },
      },
      {
        test: {
          name: 'integration',
          runner: join(import.meta.dirname, 'scripts', 'runner', 'unhurried-runner.ts'),
          // They wait for processes and the disk as long as they compute.
          maxWorkers: cores + 2,
          environment: 'node',
          include: [`{src,scripts,bench,test}/${integrationTests}`],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          expect: patience,
        },
      },
    ],
  },
})
