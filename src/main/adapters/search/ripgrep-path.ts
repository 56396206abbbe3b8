/** Where ripgrep's program lies: in the package for this machine, wherever that was installed. */
import { fail, messageOf, ok, type Result } from '../../../shared/result.ts'

/** The path of the program. Fails with `not-found` where no package for this system is installed. */
export async function findRipgrep(): Promise<Result<string>> {
  try {
    // The package throws while it is being loaded where the program is missing, so it is loaded here only.
    const { rgPath } = await import('@vscode/ripgrep')
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
