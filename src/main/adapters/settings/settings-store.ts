/**
 * The settings of this user: loaded once, changed in one place, watched for what a person or another
 * Troupe writes into the file. Whoever needs a setting reads `current` when it matters.
 */
import { type FSWatcher, watch } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { fail, messageOf, ok, type Result } from '../../../shared/result.ts'
import {
  defaultSettings,
  type Settings,
  type SettingsPatch,
  settingsPatch,
} from '../../../shared/settings.ts'
import { putAside, readSettingsFile, understandSettings, writeSettingsFile } from './settings-file.ts'

export interface SettingsStore {
  readonly file: string
  /** What holds now; the defaults until `load` has ended. */
  readonly current: Settings
  /** Reads the file. @returns what is wrong with it, in sentences for a person; never fails */
  load(): Promise<readonly string[]>
  /**
   * Changes some settings, on the disk first; everything else in the file stays. A broken file is moved
   * aside before. Failures: `bad-setting`, `not-saved`.
   */
  change(patch: SettingsPatch): Promise<Result<Settings>>
  /** Calls back after each change, whoever made it, with the problems of the file if there are any. */
  watch(listener: (settings: Settings, problems: readonly string[]) => void): () => void
  close(): void
}

export interface SettingsStoreOptions {
  readonly file: string
  /** ms since the epoch: names a broken file that is put aside. */
  readonly now: () => number
}

/** Editors write in several steps: what they are at is read when they have been quiet for so long (ms). */
const QUIET = 60

export function createSettingsStore({ file, now }: SettingsStoreOptions): SettingsStore {
  const listeners = new Set<(settings: Settings, problems: readonly string[]) => void>()
  let current = defaultSettings
  let watcher: FSWatcher | null = null
  let timer: NodeJS.Timeout | undefined
  let closed = false
  /** Reads and writes one after the other: two changes at once must not lose one. */
  let queue: Promise<unknown> = Promise.resolve()

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = queue.then(work)
    queue = result.catch(() => {})
    return result
  }

  const take = (next: Settings, problems: readonly string[]): void => {
    const changed = JSON.stringify(next) !== JSON.stringify(current)
    current = next
    if (!changed && problems.length === 0) return
    for (const listener of listeners) listener(next, problems)
  }

  const read = async (): Promise<readonly string[]> => {
    const found = await readSettingsFile(file)
    if (found.kind === 'broken') {
      const problems = [
        `${file} can't be read (${found.reason}). What was set before counts on. Mend the file, or change a setting: then the broken one is kept beside the new one.`,
      ]
      take(current, problems)
      return problems
    }
    const { settings, problems } = understandSettings(found.kind === 'whole' ? found.raw : {})
    take(settings, problems)
    return problems
  }

  const follow = async (): Promise<void> => {
    await mkdir(dirname(file), { recursive: true })
    if (closed || watcher !== null) return
    // The folder is watched, not the file: an atomic write replaces the file that would be watched.
    watcher = watch(dirname(file), { persistent: false }, (_event, name) => {
      if (name !== null && name !== basename(file)) return
      clearTimeout(timer)
      timer = setTimeout(() => void inTurn(read).catch(() => {}), QUIET)
      timer.unref()
    })
    watcher.on('error', () => {
      watcher?.close()
      watcher = null
    })
  }

  const write = async (patch: SettingsPatch): Promise<Result<Settings>> => {
    try {
      // Read afresh: another Troupe, or a person, may have written since.
      const found = await readSettingsFile(file)
      if (found.kind === 'broken') await putAside(file, now())
      const raw = { ...(found.kind === 'whole' ? found.raw : {}), ...patch }
      await writeSettingsFile(file, raw)
      take(understandSettings(raw).settings, [])
      return ok(current)
    } catch (cause) {
      return fail({
        type: 'not-saved',
        message: `The change was not saved: ${file} can't be written (${messageOf(cause)}). Nothing was changed; see whether the disk is full or the folder is read-only.`,
        cause,
      })
    }
  }

  return {
    file,
    get current() {
      return current
    },
    async load() {
      const problems = await inTurn(read)
      // Without a watcher only changes from outside go unnoticed.
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
          message: `Nothing was changed: ${names.join(', ')} can't have that value.`,
        })
      }
      return inTurn(() => write(checked.data))
    },
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close() {
      closed = true
      clearTimeout(timer)
      watcher?.close()
      watcher = null
      listeners.clear()
    },
  }
}
