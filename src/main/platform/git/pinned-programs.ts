/**
 * The programs that the settings of a repository name are those that were there when this process first used it, with
 * the content that their scripts in the checkout had. What appears or changes later may come from a command, and git
 * would run it with the user's rights: then git is not run at all.
 */
import { readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { scriptVersions, withScripts } from '../approvals/named-scripts.ts'
import { codeOf } from '../system/error-code.ts'
import { settingKind } from './setting-kinds.ts'

interface PinnedPrograms {
  /**
   * Why git must not run in a folder, as sentences for the user; null: it may.
   * @param gitFolder the value of `GIT_DIR`, if the call has one
   */
  refusal(folder: string, gitFolder?: string): Promise<string | null>
}

/** A repository, as git finds it from a folder. */
interface Place {
  /** The folder with its `.git`; with `GIT_DIR` that one. */
  readonly top: string
  /** The git folder of the checkout. */
  readonly own: string
  /** The git folder with the settings that all checkouts share. */
  readonly common: string
}

/** @param list prints the settings of a repository with `git config`, without running a program; null: it failed */
export function pinPrograms(
  list: (folder: string, args: readonly string[], gitFolder?: string) => Promise<string | null>,
): PinnedPrograms {
  /** Folders that had no repository. */
  const bare = new Set<string>()
  /** By top: the git folder. */
  const owns = new Map<string, string>()
  /** By common folder: what was there at first. */
  const pins = new Map<string, Promise<ReadonlySet<string>>>()
  const includes = new Map<string, readonly string[]>()
  /** By common folder: the settings that name programs now. */
  const settings = new Map<string, readonly string[]>()
  /** By top: the scripts that the settings name, as they were at first. */
  const scripts = new Map<string, { readonly digests: string; version: string }>()
  const answers = new Map<string, { readonly version: string; readonly answer: Promise<string | null> }>()

  async function programs({ top, own, common }: Place, gitFolder?: string): Promise<ReadonlySet<string>> {
    const printed = await list(top, ['config', '-z', '--list', '--show-scope', '--show-origin'], gitFolder)
    const found = new Set<string>()
    const files = new Set<string>()
    // Each setting is its scope, its file and, in one field, its name and its value.
    const fields = (printed ?? '').split('\0')
    for (let at = 0; at + 2 < fields.length; at += 3) {
      const [scope = '', origin = '', setting = ''] = fields.slice(at, at + 3)
      if (scope !== 'local' && scope !== 'worktree') continue
      const file = resolve(top, origin.replace(/^file:/, ''))
      const end = setting.indexOf('\n')
      const [name, value] = end === -1 ? [setting, ''] : [setting.slice(0, end), setting.slice(end + 1)]
      files.add(file)
      // The file may be empty or missing now.
      if (/^include/i.test(name)) files.add(resolve(dirname(file), value))
      if (settingKind(name, value) === 'runs') found.add(setting)
    }
    settings.set(common, [...found])
    includes.set(
      own,
      [...files].filter((file) => !filesOf({ own, common }).includes(file)),
    )
    return found
  }

  async function compare(place: Place, gitFolder?: string): Promise<string | null> {
    const pinned = await pins.get(place.common)
    const found = await programs(place, gitFolder)
    const added = [...found].filter((setting) => pinned?.has(setting) !== true)
    if (added.length === 0) return null
    const names = added.map((setting) => setting.split('\n', 1)[0])
    return `Git was not run in ${place.top}: its repository now has settings that name programs or other places (${names.join(', ')}). They were not there when Troupe first used it. If you made this change, start Troupe again.`
  }

  /** Why the scripts of a checkout are not those that were there at first. */
  function changedScript({ top, common }: Place): string | null {
    const texts = (settings.get(common) ?? []).map((setting) => setting.slice(setting.indexOf('\n') + 1))
    if (texts.length === 0) return null
    const known = scripts.get(top)
    const version = scriptVersions(top, texts)
    if (known?.version === version) return null
    const digests = JSON.stringify(withScripts(top, { texts }).scripts ?? {})
    if (known !== undefined && known.digests !== digests)
      return `Git was not run in ${top}: a file that the settings of its repository run (${named(known.digests, digests)}) is not as it was when Troupe first used it. If you made this change, start Troupe again.`
    scripts.set(top, { digests, version })
    return null
  }

  return {
    async refusal(folder, gitFolder) {
      const place = placeOf(folder, gitFolder)
      if (place === null) {
        bare.add(folder)
        return null
      }
      const { top, own, common } = place
      // A call that names its git folder reads no `.git` of the top.
      const former = gitFolder === undefined ? (owns.get(top) ?? own) : own
      if (gitFolder === undefined) owns.set(top, former)
      if (former !== own)
        return `Git was not run in ${top}: its .git now leads to ${own}, and led to ${former} when Troupe first used it. If you made this change, start Troupe again.`
      if (common !== expectedCommon(own) && common !== own)
        return `Git was not run in ${top}: its .git belongs to another folder. The file ${join(own, 'commondir')} leads git to ${common}. Remove that file if you don't know it.`
      const isFirst = !pins.has(common)
      if (isFirst)
        pins.set(
          common,
          bare.has(folder) || bare.has(top) ? Promise.resolve(new Set()) : programs(place, gitFolder),
        )
      // Git runs once its settings are known: a change in the meantime would count as one that was there at first.
      await pins.get(common)
      const version = [...filesOf(place), ...(includes.get(own) ?? [])].map(versionOf).join()
      const before = answers.get(own)
      if (before?.version === version) return (await before.answer) ?? changedScript(place)
      const isTrusted = isFirst && !bare.has(folder) && !bare.has(top)
      const answer = isTrusted ? Promise.resolve(null) : compare(place, gitFolder)
      answers.set(own, { version, answer })
      return (await answer) ?? changedScript(place)
    },
  }
}

/** The files that differ between two records of digests. */
function named(before: string, after: string): string {
  const [old, fresh] = [before, after].map((text) => JSON.parse(text) as Readonly<Record<string, string>>)
  const names = Object.keys({ ...old, ...fresh })
  return names.filter((name) => old?.[name] !== fresh?.[name]).join(', ')
}

const filesOf = ({ own, common }: Pick<Place, 'own' | 'common'>): readonly string[] => [
  join(common, 'config'),
  join(own, 'config.worktree'),
]

function versionOf(file: string): string {
  try {
    const stats = statSync(file, { bigint: true, throwIfNoEntry: false })
    return stats === undefined ? '' : `${stats.ino}-${stats.ctimeNs}-${stats.size}`
  } catch (thrown) {
    return codeOf(thrown)
  }
}

/** The common folder of a linked worktree. */
const expectedCommon = (own: string): string | null =>
  basename(dirname(own)) === 'worktrees' ? dirname(dirname(own)) : null

function placeOf(folder: string, gitFolder?: string): Place | null {
  if (gitFolder !== undefined) return { top: folder, ...placeAt(resolve(folder, gitFolder)) }
  for (let top = folder; ; top = dirname(top)) {
    const own = gitFolderAt(join(top, '.git'))
    if (own !== null) return { top, ...placeAt(own) }
    if (dirname(top) === top) return null
  }
}

/** Null: git would look in the folder above. */
function gitFolderAt(path: string): string | null {
  const text = textOf(path)
  const own = text === null ? path : /^gitdir: (.+)/.exec(text)?.[1]?.trim()
  if (own === undefined) return null
  const folder = resolve(dirname(path), own)
  return versionOf(join(folder, 'HEAD')) === '' ? null : folder
}

function placeAt(own: string): Pick<Place, 'own' | 'common'> {
  const common = textOf(join(own, 'commondir'))?.trim()
  return { own, common: common ? resolve(own, common) : own }
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
