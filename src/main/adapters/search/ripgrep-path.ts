/** Where ripgrep's program lies: in the package for this machine, wherever that was installed. */
import { createRequire } from 'node:module'
import { fail, messageOf, ok, type Result } from '../../../shared/result.ts'

/** The path of the program. Fails with `not-found` where no package for this system is installed. */
export async function findRipgrep(): Promise<Result<string>> {
  try {
    // As the package does it when it is loaded, which takes longer than this.
    const ripgrep = createRequire(import.meta.url).resolve('@vscode/ripgrep')
    const program = process.platform === 'win32' ? 'rg.exe' : 'rg'
    const rgPath = createRequire(ripgrep).resolve(
      `@vscode/ripgrep-${process.platform}-${process.arch}/bin/${program}`,
    )
    // Nothing can be run out of an archive; what is a program lies unpacked beside it.
    return ok(rgPath.replace(/([\\/]app\.asar)(?=[\\/])/, '$1.unpacked'))
  } catch (thrown) {
    return fail({
      type: 'not-found',
      message: `The search program (ripgrep) is missing: ${messageOf(thrown)} Install the program again.`,
      cause: thrown,
    })
  }
}
