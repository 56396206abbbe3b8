/** What a command sees where an image stands for the files of this machine: the image's, read-only, around what is its own. */
import { existsSync, lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { depth, type Mount } from './mount-plan.ts'

export interface ImageFiles {
  /** The folder with its files. Absolute. */
  readonly root: string
  /** Of the image: PATH is among them. */
  readonly variables: Readonly<Record<string, string>>
}

/** The system makes these for each command. */
const MADE = ['/dev', '/proc', '/sys']

/** A plan with the files of an image. */
export const withImage = (plan: readonly Mount[], root: string): readonly Mount[] =>
  [...plan, ...imageMounts(root, new Set(plan.map(({ at }) => at)))].sort((a, b) => depth(a.at) - depth(b.at))

/**
 * The mounts of an image. A folder of it in which a path must stand that the image lacks is put together from its
 * entries: in one that is mounted read-only nothing can be made.
 * @param taken the paths at which something else is mounted
 */
function imageMounts(root: string, taken: ReadonlySet<string>): readonly Mount[] {
  const inside = (folder: string): readonly Mount[] =>
    readdirSync(join(root, folder)).flatMap((name): readonly Mount[] => {
      const at = join(folder, name)
      const source = join(root, at)
      if (MADE.includes(at) || taken.has(at)) return []
      const found = lstatSync(source)
      const below = [...taken].filter((path) => path.startsWith(`${at}/`))
      if (found.isSymbolicLink())
        return below.length > 0 ? [] : [{ kind: 'link', at, target: readlinkSync(source) }]
      const isWhole = below.every((path) => existsSync(join(root, path)))
      return isWhole || !found.isDirectory() ? [{ kind: 'read', at, source }] : inside(at)
    })
  return inside('/')
}

/** bubblewrap's arguments: variables of the image in place of those with paths of this machine. */
export function imageVariables(
  { variables }: ImageFiles,
  environment: Readonly<Record<string, string>>,
): readonly string[] {
  const ofMachine = Object.entries(environment).flatMap(([name, value]) =>
    /(^|[:=])\//.test(value) && !KEPT.includes(name) && !(name in variables) ? ['--unsetenv', name] : [],
  )
  const own = { PATH: USUAL_PATH, ...variables }
  // The home is the user's in the sandbox.
  const set = Object.entries(own).flatMap(([name, value]) =>
    name === 'HOME' ? [] : ['--setenv', name, value],
  )
  return [...ofMachine, ...set]
}

const KEPT = ['HOME', 'PWD', 'TMPDIR', 'PATH']
const USUAL_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** The arguments of a shell with the image's bash. */
export const withBash = ({ root }: ImageFiles, [, ...args]: readonly string[]): readonly string[] => [
  existsSync(join(root, 'bin/bash')) ? '/bin/bash' : '/usr/bin/bash',
  ...args,
]
