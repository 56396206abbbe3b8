/**
 * `npm run package -- [KIND…]`: writes what users install into `dist`, and prints its paths. Kinds: `npm` (the command line
 * for Node ≥ 20.18), `portable` (the command line with a Node of its own, as a tar archive on standard output).
 */
import { join, relative } from 'node:path'
import { root } from '../runner/paths.mjs'
import { CannotContinue } from '../runner/say.mjs'
import { packForNpm, writePortable } from './command-line.ts'

const DIST = join(root, 'dist')

const KINDS: Readonly<Record<string, () => Promise<string>>> = {
  npm: () => packForNpm(DIST),
}

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof CannotContinue)) throw error
  console.error(error.message)
  process.exitCode = 1
}

async function run(given: readonly string[]): Promise<number> {
  if (given.length === 1 && given[0] === 'portable') return writePortable()
  const unknown = given.find((name) => !Object.hasOwn(KINDS, name))
  if (unknown !== undefined)
    throw new CannotContinue(
      `"npm run package" knows ${Object.keys(KINDS).join(', ')}, or portable alone, not "${unknown}".`,
    )
  for (const name of given.length === 0 ? Object.keys(KINDS) : given) {
    const path = await KINDS[name]?.()
    if (path !== undefined) console.log(relative(process.cwd(), path))
  }
  return 0
}
