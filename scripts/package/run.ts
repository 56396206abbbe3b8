/**
 * `npm run package [-- KIND… | portable] [--check]`: writes what users install into `dist`, and prints the paths. Without a
 * kind: those that this system can make without further downloads. `portable` alone writes the command line with a Node of
 * its own to standard output, as a tar archive. `--check` installs npm's and Debian's package in fresh systems.
 */
import { join, relative } from 'node:path'
import { root } from '../runner/paths.mjs'
import { CannotContinue } from '../runner/say.mjs'
import { packForNpm, writePortable } from './command-line.ts'
import { packForDebian } from './debian.ts'
import { packDesktop } from './desktop.ts'

const DIST = join(root, 'dist')

/** Each with what `npm run package` says about it. */
const KINDS = {
  npm: { about: 'the command line for Node ≥ 20.18', pack: async () => [await packForNpm(DIST)] },
  app: {
    about: 'the desktop program as a folder',
    pack: () => packDesktop(electronFolder(), DIST, 'folder'),
  },
  deb: {
    about: "Debian's package",
    pack: async () => {
      const [folder = ''] = await KINDS.app.pack()
      return [await packForDebian(folder, DIST)]
    },
  },
  installers: {
    about: 'AppImage and rpm, dmg and zip, or an installer for Windows: those of this system',
    pack: () => packDesktop(electronFolder(), DIST, 'installers'),
  },
} as const

type Kind = keyof typeof KINDS

const USUAL: readonly Kind[] = process.platform === 'linux' ? ['npm', 'deb'] : ['npm', 'installers']

/** The runner says where Electron is. */
const electronFolder = (): string => process.env['ELECTRON_OVERRIDE_DIST_PATH'] ?? ''

const isKind = (name: string): name is Kind => Object.hasOwn(KINDS, name)

// electron-builder ends the process with the exit code 0 when nothing is left to do.
process.exit(await run(process.argv.slice(2)).catch(complain))

function complain(error: unknown): number {
  console.error(error instanceof CannotContinue ? error.message : error)
  return 1
}

async function run(given: readonly string[]): Promise<number> {
  if (given.length === 1 && given[0] === 'portable') return writePortable()
  const names = given.filter((name) => name !== '--check')
  const wrong = names.find((name) => !isKind(name))
  if (wrong !== undefined) {
    const kinds = Object.entries(KINDS).map(([name, { about }]) => `  ${name}: ${about}`)
    throw new CannotContinue(
      `"${wrong}" is no kind of package. Kinds:\n${kinds.join('\n')}\n  portable, alone: the command line with a Node of its own, on standard output\nWith --check, the packages of npm and Debian are installed in fresh systems.`,
    )
  }
  const isChecked = names.length < given.length
  const kinds = isChecked ? (['npm', 'deb'] as const) : names.length === 0 ? USUAL : names.filter(isKind)
  const made: string[] = []
  for (const kind of kinds) made.push(...(await KINDS[kind].pack()))
  for (const path of made) console.log(relative(process.cwd(), path))
  if (!isChecked) return 0
  const { checkPackages } = await import('./check.ts')
  const [npm = '', deb = ''] = made
  return checkPackages({ npm, deb, pictures: join(DIST, 'pictures') })
}
