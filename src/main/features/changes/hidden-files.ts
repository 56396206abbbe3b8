/**
 * What git's status never shows: files that the index marks as not to be looked at, which a command can set for a file
 * before it changes it, and submodules.
 */
import { lstatSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Git } from '../../platform/git/git-client.ts'
import { SUBMODULE_MODE } from '../../platform/git/status.ts'

/** A file as git stores it. */
export interface CommittedFile {
  /** Octal: `100755`. */
  readonly mode: string
  readonly id: string
}

interface Hidden {
  /** By path below the top. Some may be missing on the disk, as those of a sparse checkout are. */
  readonly files: ReadonlyMap<string, CommittedFile>
  /** Paths below the top. */
  readonly submodules: readonly string[]
}

const NOTHING: Hidden = { files: new Map(), submodules: [] }

export class HiddenFiles {
  /** By top folder: the hidden files, and the version of the index that names them. */
  private readonly known = new Map<string, { readonly version: string; readonly hidden: Hidden }>()
  private readonly git: Git

  constructor(git: Git) {
    this.git = git
  }

  /** Starts git only when the index has changed. */
  async of(top: string, signal: AbortSignal): Promise<Hidden> {
    const version = versionOf(top)
    const known = this.known.get(top)
    if (known?.version === version) return known.hidden
    const printed = await this.git.run(top, ['ls-files', '-v', '--stage', '-z'], { signal })
    if (!printed.ok) return NOTHING
    const hidden = read(printed.value)
    if (version !== '') this.known.set(top, { version, hidden })
    return hidden
  }
}

/** '': not known. */
function versionOf(top: string): string {
  try {
    const { ino, ctimeMs, size } = lstatSync(join(gitFolderOf(join(top, '.git')), 'index'))
    return `${ino} ${ctimeMs} ${size}`
  } catch {
    return ''
  }
}

/** Lines `TAG MODE ID STAGE\tPATH`. A small letter as the tag: assumed to be unchanged; `S`: skipped. */
function read(printed: string): Hidden {
  const files = new Map<string, CommittedFile>()
  const submodules: string[] = []
  for (const line of printed.split('\0')) {
    const tag = line[0] ?? ''
    if (!/[a-zS]/.test(tag) && !line.startsWith(SUBMODULE_MODE, 2)) continue
    const [facts = '', path = ''] = [line.slice(2, line.indexOf('\t')), line.slice(line.indexOf('\t') + 1)]
    const [mode = '', id = ''] = facts.split(' ')
    if (mode === SUBMODULE_MODE) submodules.push(path)
    else files.set(path, { mode, id })
  }
  return { files, submodules }
}

/** @param dotGit the path of `.git`, which may be a file. Throws if it can't be read. */
export const gitFolderOf = (dotGit: string): string =>
  statSync(dotGit).isDirectory() ? dotGit : linked(dirname(dotGit), readFileSync(dotGit, 'utf8'))

const linked = (folder: string, text: string): string => resolve(folder, text.replace(/^gitdir: /, '').trim())
