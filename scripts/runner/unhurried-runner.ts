/** Runs the tests of a file; on a machine that is late, only the first of them: see `src/shared/testing/time-left.ts`. */
import { relative } from 'node:path'
import { type RunnerTestCase, TestRunner } from 'vitest'
import { isOver, keepsUp, shareOf } from '../../src/shared/testing/time-left.ts'

/** The files in their order, from `vitest.config.ts`. */
const files = (process.env['TROUPE_TEST_FILES'] ?? '').split(' ')

// biome-ignore lint/style/noDefaultExport: vitest takes it from there
export default class UnhurriedRunner extends TestRunner {
  private begun = false

  override async onBeforeRunTask(test: RunnerTestCase): Promise<void> {
    const path = relative(this.config.root, test.file.filepath)
    if (isOver() || (this.begun && !keepsUp(shareOf(path, files)))) test.mode = 'skip'
    else if (test.mode === 'run') this.begun = true
    await super.onBeforeRunTask(test)
  }
}
