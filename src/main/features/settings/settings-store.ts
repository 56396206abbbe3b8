/** The user's settings. The file is watched for changes by the user or by another Troupe process. */
import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import { KeyedLock } from '../../../shared/kernel/keyed-lock.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import {
  defaultSettings,
  type Settings,
  type SettingsPatch,
  settingsPatch,
} from '../../../shared/settings/settings.ts'
import type { SettingOrigin } from '../../../shared/settings/settings-layers.ts'
import { parseJson } from '../../platform/json/json-text.ts'
import { FILE_MODE, makeFolders } from '../../platform/system/atomic-file.ts'
import { editTextFile } from '../../platform/system/edit-text-file.ts'
import { settingOrigins } from './setting-origins.ts'
import { changedSettingsText, parseSettings, readSettingsFile, withoutSettings } from './settings-file.ts'
import type { SettingsSourceFile, UserSettings } from './user-settings.ts'

export interface SettingsStore {
  readonly file: string
  /** The current settings; the defaults until `load` has resolved. */
  readonly current: Settings
  /** Reads the file. Never fails. @returns its problems, as sentences for the user */
  load(): Promise<readonly string[]>
  /**
   * Changes some settings in the file, in their places, then in memory. Every other character of the file stays.
   * Fails with `bad-setting`, or with `not-saved` for a file that can't be read or written, which then is unchanged.
   */
  change(patch: SettingsPatch): Promise<Result<Settings>>
  /** Calls `listener` after each change from any source, with the problems of the file. */
  watch(listener: (settings: Settings, problems: readonly string[]) => void): () => void
  /**
   * Removes settings from the file: `maxAgents`, `sandbox.enabled`. Fails with `bad-setting` for a name that is none, and
   * as `change`.
   */
  reset(names: readonly string[]): Promise<Result<Settings>>
  /** Where settings are set, by name. Reads the files. */
  origins(): Promise<Readonly<Record<string, SettingOrigin>>>
  /** The files that settings come from, whether they exist or not. */
  readonly files: readonly string[]
  close(): void
}

export interface SettingsStoreOptions {
  readonly file: string
  /** Values of other files: below this one, and of the administrator above it. */
  readonly below?: SettingsSourceFile
  readonly above?: SettingsSourceFile
  /** Reads those values again when one of these files changes. */
  readonly others?: {
    readonly files: readonly string[]
    readonly read: () => Pick<UserSettings, 'below' | 'above' | 'isBroken' | 'problems'>
  }
}

const NO_FILE: SettingsSourceFile = { raw: {}, files: {} }

/** ms without a change before the file is read: editors write in several steps. */
const QUIET = 60

export function createSettingsStore({ file, others, ...initial }: SettingsStoreOptions): SettingsStore {
  let { below = NO_FILE, above = NO_FILE } = initial
  const parse = (raw: Readonly<Record<string, unknown>>) =>
    parseSettings({ ...below.raw, ...raw, ...above.raw })
  const listeners = new Set<(settings: Settings, problems: readonly string[]) => void>()
  let current = defaultSettings
  let hadProblems = false
  let watchers: readonly FSWatcher[] = []
  let timer: NodeJS.Timeout | undefined
  let otherTimer: NodeJS.Timeout | undefined
  let closed = false
  /** Reads and writes are locked, so that two concurrent changes are both kept. */
  const lock = new KeyedLock()
  const withLock = <T>(work: () => Promise<T>): Promise<T> => lock.withLock(file, work)

  const take = (next: Settings, problems: readonly string[]): void => {
    const changed = JSON.stringify(next) !== JSON.stringify(current)
    current = next
    // Listeners also hear that the problems are gone.
    const isNews = changed || hadProblems || problems.length > 0
    hadProblems = problems.length > 0
    if (!isNews) return
    for (const listener of listeners) listener(next, problems)
  }

  const read = async (): Promise<readonly string[]> => {
    const found = await readSettingsFile(file)
    if (found.kind === 'broken') {
      const problems = [
        `${file} can't be read (${found.reason}). The earlier settings stay in effect. Correct the file: until then, Troupe does not change it.`,
      ]
      take(current, problems)
      return problems
    }
    const { settings, problems } = parse(found.kind === 'whole' ? found.raw : {})
    take(settings, problems)
    return problems
  }

  /** A broken file changes nothing: an administrator's settings must not end with a typing mistake. */
  const readOthers = async (): Promise<void> => {
    if (others === undefined) return
    const found = others.read()
    if (found.isBroken) return take(current, found.problems)
    below = found.below
    above = found.above
    await read()
  }

  /** Watches the folder: an atomic write replaces the file, and a watcher of the file would miss later changes. */
  const watchFolder = (folder: string, changed: (name: string | null) => void): void => {
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => changed(name))
      watchers = [...watchers, watcher]
      watcher.on('error', () => watcher.close())
    } catch {
      // The folder does not exist.
    }
  }

  const follow = async (): Promise<void> => {
    await makeFolders(dirname(file))
    if (closed || watchers.length > 0) return
    watchFolder(dirname(file), (name) => {
      if (name !== null && name !== basename(file)) return
      clearTimeout(timer)
      timer = setTimeout(() => void withLock(read).catch(() => {}), QUIET)
      timer.unref()
    })
    for (const other of others?.files ?? [])
      watchFolder(dirname(other), (name) => {
        if (name !== null && name !== basename(other)) return
        clearTimeout(otherTimer)
        otherTimer = setTimeout(() => void withLock(readOthers).catch(() => {}), QUIET)
        otherTimer.unref()
      })
  }

  const write = async (change: (text: string) => Result<string>): Promise<Result<Settings>> => {
    let raw: unknown = {}
    // Read again: the user or another Troupe process may have changed the file.
    const edited = await editTextFile(
      file,
      (text) => {
        const changed = change(text)
        const read = changed.ok ? parseJson(changed.value || '{}') : changed
        if (read.ok) raw = read.value
        return changed
      },
      { newMode: FILE_MODE },
    )
    if (!edited.ok)
      return fail({ ...edited.failure, type: 'not-saved', message: `Not saved. ${edited.failure.message}` })
    take(parse({ ...Object(raw) }).settings, [])
    return ok(current)
  }

  return {
    file,
    get current() {
      return current
    },
    files: [file, ...(others?.files ?? [])],
    origins: () => settingOrigins({ own: file, below, above }),
    async load() {
      const problems = await withLock(read)
      // Without a watcher, only changes by other programs go unnoticed.
      await follow().catch(() => {})
      return problems
    },
    async change(patch) {
      const checked = settingsPatch.safeParse(patch)
      if (!checked.success) {
        const names = checked.error.issues.map((issue) =>
          issue.code === 'unrecognized_keys' ? issue.keys.join(', ') : issue.path.join('.'),
        )
        return fail({
          type: 'bad-setting',
          message: `Nothing was changed: invalid value for ${names.join(', ')}.`,
        })
      }
      return withLock(() => write((text) => changedSettingsText(text, checked.data)))
    },
    async reset(names) {
      const unknown = names.filter((name) => !Object.hasOwn(settingsPatch.shape, name.split('.')[0] ?? ''))
      if (unknown.length > 0)
        return fail({
          type: 'bad-setting',
          message: `Nothing was changed: there is no setting ${unknown.join(', ')}.`,
        })
      return withLock(() => write((text) => withoutSettings(text, names)))
    },
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close() {
      closed = true
      clearTimeout(timer)
      clearTimeout(otherTimer)
      for (const watcher of watchers) watcher.close()
      watchers = []
      listeners.clear()
    },
  }
}
