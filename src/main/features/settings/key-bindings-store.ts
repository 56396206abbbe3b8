/** The user's keys: `keybindings.json` in the data folder. It is watched, since people edit it too. */
import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import { isKeyActionId, type KeyBindings, readKeys } from '../../../shared/commands/key-bindings.ts'
import type { KeyActionId } from '../../../shared/commands/key-map.ts'
import type { ClaudeKey, ClaudeKeys } from '../../../shared/commands/key-presets.ts'
import { fail, ok, type Result, sentence } from '../../../shared/kernel/result.ts'
import { isRecord, jsonPlaces, parseJson } from '../../platform/json/json-text.ts'
import { withMember } from '../../platform/json/splice-json.ts'
import { FILE_MODE, makeFolders } from '../../platform/system/atomic-file.ts'
import { editTextFile } from '../../platform/system/edit-text-file.ts'
import { readSettingsFile } from './settings-file.ts'

export interface KeyBindingsStore {
  readonly current: KeyBindings
  /** Reads the file and follows it. A problem with the file is in the state; then the defaults hold. */
  load(): Promise<KeyBindings>
  /**
   * Gives actions keys by their ids; null: none. Fails with `not-found` for an unknown action, `bad-keys`, or `not-saved`;
   * then the file is unchanged.
   */
  set(keys: Readonly<Record<string, string | null>>): Promise<Result<KeyBindings>>
  /** Null: all actions. Fails as `set`. */
  reset(ids: readonly string[] | null): Promise<Result<KeyBindings>>
  watch(listener: (bindings: KeyBindings) => void): () => void
  /** The file of Claude Code, whether it exists or not. */
  readonly claudeFile: string
  /** Reads that file, which is never written. */
  ofClaudeCode(): Promise<ClaudeKeys>
  close(): void
}

interface KeyBindingsStoreOptions {
  readonly file: string
  /** Claude Code's file. */
  readonly claudeFile: string
}

/** ms without a change before the file is read: editors write in several steps. */
const QUIET = 60

export function createKeyBindingsStore({ file, claudeFile }: KeyBindingsStoreOptions): KeyBindingsStore {
  const listeners = new Set<(bindings: KeyBindings) => void>()
  let current: KeyBindings = { file, bindings: {}, problems: [] }
  let watcher: FSWatcher | null = null
  let timer: NodeJS.Timeout | undefined

  const read = async (): Promise<KeyBindings> => {
    const next = await readBindings(file)
    const isNew = JSON.stringify(next) !== JSON.stringify(current)
    current = next
    if (isNew) for (const listener of listeners) listener(next)
    return next
  }
  const follow = async (): Promise<void> => {
    await makeFolders(dirname(file))
    watcher ??= watch(dirname(file), { persistent: false }, (_event, name) => {
      if (name !== null && name !== basename(file)) return
      clearTimeout(timer)
      timer = setTimeout(() => void read().catch(() => {}), QUIET)
      timer.unref()
    })
    watcher.on('error', () => watcher?.close())
  }
  const edit = async (change: (text: string) => Result<string>): Promise<Result<KeyBindings>> => {
    const edited = await editTextFile(file, change, { newMode: FILE_MODE })
    if (!edited.ok)
      return fail({ ...edited.failure, type: 'not-saved', message: `Not saved. ${edited.failure.message}` })
    return ok(await read())
  }
  return {
    get current() {
      return current
    },
    async load() {
      const state = await read()
      // Without a watcher, only changes by other programs go unnoticed.
      await follow().catch(() => {})
      return state
    },
    async set(keys) {
      const wanted = new Map<string, string | null>()
      for (const [id, written] of Object.entries(keys)) {
        if (!isKeyActionId(id)) return fail({ type: 'not-found', message: `There is no action “${id}”.` })
        const read = written === null ? null : readKeys(written)
        if (read?.ok === false) return fail({ type: 'bad-keys', message: read.reason })
        wanted.set(id, read?.keys ?? null)
      }
      return edit((text) => {
        let changed = ok(text) as Result<string>
        for (const [id, value] of wanted)
          if (changed.ok) changed = withMember(changed.value, { path: [id], value })
        return changed
      })
    },
    claudeFile,
    ofClaudeCode: () => readClaudeKeys(claudeFile),
    reset: (ids) =>
      edit((text) => {
        const read = parseJson(text.trim() === '' ? '{}' : text)
        if (!read.ok) return read
        const all = isRecord(read.value) ? Object.keys(read.value).filter(isKeyActionId) : []
        let changed = ok(text) as Result<string>
        for (const id of all)
          if (changed.ok && (ids === null || ids.includes(id)))
            changed = withMember(changed.value, { path: [id], value: undefined })
        return changed
      }),
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close() {
      clearTimeout(timer)
      watcher?.close()
      listeners.clear()
    },
  }
}

async function readBindings(file: string): Promise<KeyBindings> {
  const found = await readSettingsFile(file)
  if (found.kind === 'missing') return { file, bindings: {}, problems: [] }
  if (found.kind === 'broken')
    return {
      ...{ file, bindings: {} },
      problems: [`${file} can’t be read, so all keys have their defaults: ${sentence(found.reason)}`],
    }
  const places = jsonPlaces(found.text)
  const bindings: Partial<Record<KeyActionId, { keys: string | null; line: number | null }>> = {}
  const problems: string[] = []
  for (const [id, value] of Object.entries(found.raw)) {
    const line = places.get(JSON.stringify([id]))?.line ?? null
    const wrong = (reason: string) => problems.push(`${file}:${line ?? 1}: ${reason}`)
    if (!isKeyActionId(id)) wrong(`There is no action “${id}”, so this line has no effect.`)
    else if (value === null) bindings[id] = { keys: null, line }
    else if (typeof value !== 'string')
      wrong(`The keys of “${id}” are not a text such as "Mod Shift K". Its default holds.`)
    else {
      const keys = readKeys(value)
      if (keys.ok) bindings[id] = { keys: keys.keys, line }
      else wrong(`${keys.reason} The default of “${id}” holds.`)
    }
  }
  return { file, bindings, problems }
}

/** `bindings` of the file: a list of parts, each with actions by keys. What has another form is left out. */
async function readClaudeKeys(file: string): Promise<ClaudeKeys> {
  const found = await readSettingsFile(file)
  if (found.kind === 'missing') return { file, bindings: null, problem: null }
  if (found.kind === 'broken')
    return { file, bindings: [], problem: `${file} can’t be read: ${sentence(found.reason)}` }
  const { bindings: parts } = found.raw
  if (!Array.isArray(parts))
    return { file, bindings: [], problem: `${file} has no list “bindings”, so no keys were found in it.` }
  const places = jsonPlaces(found.text)
  const bindings = parts.flatMap((part: unknown, index): readonly ClaudeKey[] => {
    const { context, bindings: own } = isRecord(part) ? part : {}
    return Object.entries(isRecord(own) ? own : {}).flatMap(([keys, action]) => {
      if (typeof action !== 'string' && action !== null) return []
      const line = places.get(JSON.stringify(['bindings', index, 'bindings', keys]))?.line ?? null
      return [{ context: typeof context === 'string' ? context : '', keys, action, line }]
    })
  })
  return { file, bindings, problem: null }
}
