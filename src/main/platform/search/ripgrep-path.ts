/** Locates the ripgrep executable in the package for this platform. */
import { createRequire } from 'node:module'
import { fail, messageOf, ok, type Result } from '../../../shared/kernel/result.ts'

/** Fails with `not-found` where no package for this platform is installed. */
export async function findRipgrep(): Promise<Result<string>> {
  try {
    // The package does the same when it is loaded, but loading takes longer.
    const ripgrep = createRequire(import.meta.url).resolve('@vscode/ripgrep')
    const program = process.platform === 'win32' ? 'rg.exe' : 'rg'
    const rgPath = createRequire(ripgrep).resolve(
      `@vscode/ripgrep-${process.platform}-${process.arch}/bin/${program}`,
    )
    // Executables can't run from an archive: the build unpacks them beside it.
    return ok(rgPath.replace(/([\\/]app\.asar)(?=[\\/])/, '$1.unpacked'))
  } catch (thrown) {
    return fail({
      type: 'not-found',
      message: `The search program (ripgrep) is missing: ${messageOf(thrown)} Reinstall Troupe.`,
      cause: thrown,
    })
  }
}
