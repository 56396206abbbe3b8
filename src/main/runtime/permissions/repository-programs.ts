/**
 * The settings of a repository that make even a read-only git command run a program, or read another folder. A clone
 * brings no settings, but an archive may, and so may a command that the user allowed for another reason.
 */
import { parentOf, resolvePath } from '../paths/paths.ts'
import type { FileLook } from './permission-concern.ts'

/** @returns the first such setting of the repository that git finds from a folder, as a noun phrase; null: none */
export async function repositoryProgram(look: FileLook, folder: string): Promise<string | null> {
  for (const file of await settingsFiles(look, folder)) {
    const text = await look.text(file)
    if (text === undefined) return `the file ${file}, which can't be read,`
    const found = settingsOf(text ?? '').find(isRisky)
    if (found) return `the setting ${found.name}`
  }
  return null
}

const RISKY =
  /^(core\.(fsmonitor|worktree|sshcommand|gitproxy|alternaterefscommand)|include\.path|includeif\..*|diff\.external|diff\..+\.(command|textconv)|filter\..+\.(clean|smudge|process)|log\.showsignature|gpg\.(.+\.)?program|remote\..+\.(promisor|uploadpack|vcs)|extensions\.partialclone|submodule\.(recurse|.+\.update)|diff\.submodule|status\.submodulesummary)$/
/** Forms of lists, and their order, that can show signatures, which a program checks. Quotes may be inside a value. */
const FORMATS = /^(format\.pretty|pretty\..+|(branch|tag)\.sort)$/
const SHOWS_SIGNATURES = /%[-+ ]?G|signature/i
const isRisky = ({ name, value }: Setting) =>
  (FORMATS.test(name) && SHOWS_SIGNATURES.test(value.replace(/["\\]/g, ''))) ||
  (RISKY.test(name) && !(name === 'core.fsmonitor' && BOOLEAN.test(value)) && !LFS.test(value))

const BOOLEAN = /^(true|false|yes|no|on|off|1|0|)$/i
/** The filter of Git LFS, which `git lfs install --local` writes. */
const LFS = /^git-lfs (clean|smudge|filter-process)( -- %f)?$/

/** The files that git reads for a folder, apart from those of the user and the system. */
async function settingsFiles(look: FileLook, folder: string): Promise<readonly string[]> {
  for (let at = folder; ; at = parentOf(at)) {
    const names = (await look.names(at)) ?? []
    if (names.includes('.git')) return filesOf(look, resolvePath(at, '.git'), at)
    if (names.includes('HEAD') && names.includes('objects')) return filesOf(look, at, at)
    if (at === parentOf(at)) return []
  }
}

/** A `.git` file names another folder, and `commondir` in that one the folder with the settings. */
async function filesOf(look: FileLook, git: string, folder: string): Promise<readonly string[]> {
  const named = /^gitdir: (.*)/.exec((await look.text(git)) ?? '')?.[1]?.trim()
  const own = named === undefined ? git : resolvePath(folder, named)
  const common = (await look.text(resolvePath(own, 'commondir')))?.trim()
  const shared = common ? resolvePath(own, common) : own
  return [resolvePath(shared, 'config'), resolvePath(own, 'config.worktree')]
}

interface Setting {
  /** In lower case: `filter.x.clean`. */
  readonly name: string
  readonly value: string
}

/** git allows a setting behind its section, on the same line. */
function settingsOf(text: string): readonly Setting[] {
  let section = ''
  // A backslash at the end continues a line, but not in a comment: both readings count.
  const lines = [...text.split('\n'), ...text.replace(/\\\r?\n/g, '').split('\n')]
  return lines.flatMap((line) => {
    const head = /^\s*\[\s*([\w.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line)
    if (head) section = [head[1], head[2]].filter((part) => part !== undefined).join('.')
    const rest = head ? line.slice(head[0].length) : line
    const setting = /^\s*([A-Za-z][\w-]*)\s*(?:=\s*(.*))?$/.exec(rest)
    if (!setting) return []
    const value = (setting[2] ?? '').replace(/^"(.*)"\s*$/, '$1').trim()
    return [{ name: `${section}.${setting[1]}`.toLowerCase(), value }]
  })
}
