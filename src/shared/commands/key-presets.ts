/**
 * Sets of keys that people know from other programs, and those of Claude Code's `keybindings.json`. A set has only actions that
 * Troupe has too; what of a file can't be used is told with the reason.
 */
import {
  boundKeys,
  KEY_ACTIONS,
  type KeyAction,
  type KeyBindings,
  keyConflicts,
  readKeys,
} from './key-bindings.ts'
import type { KeyActionId } from './key-map.ts'

export interface KeyPreset {
  readonly id: string
  readonly name: string
  readonly keys: Readonly<Partial<Record<KeyActionId, string>>>
  /** Lines of a file that can't be used, as sentences. */
  readonly unused: readonly string[]
}

/** Where a preset takes the keys of another action, that action gets keys too. */
export const KEY_PRESETS: readonly KeyPreset[] = [
  {
    id: 'vscode',
    name: 'VS Code',
    unused: [],
    keys: {
      palette: 'Mod Shift P',
      requests: 'Mod Alt R',
      'open-terminal': 'Mod `',
      changes: 'Mod Alt G',
      'stop-all': 'Shift F5',
      'continue-all': 'F5',
      help: 'Mod Alt K',
    },
  },
  {
    id: 'jetbrains',
    name: 'JetBrains',
    unused: [],
    keys: {
      palette: 'Mod Shift A',
      'new-agent': 'Alt Insert',
      settings: 'Mod Alt S',
      'open-terminal': 'Alt F12',
      changes: 'Alt 0',
      'stop-all': 'Mod F2',
      'continue-all': 'F9',
    },
  },
]

/** One line of Claude Code's file. */
export interface ClaudeKey {
  /** The part of Claude Code where the keys work: `Chat`. */
  readonly context: string
  /** As written: `ctrl+shift+k`. */
  readonly keys: string
  /** `chat:modelPicker`; null: the keys do nothing. */
  readonly action: string | null
  /** Counted from 1. */
  readonly line: number | null
}

export interface ClaudeKeys {
  readonly file: string
  /** Null: there is no file. */
  readonly bindings: readonly ClaudeKey[] | null
  /** Why the file can't be read, as a sentence. */
  readonly problem: string | null
}

/** Actions of Claude Code that Troupe has too. */
const ACTIONS: Readonly<Record<string, KeyActionId>> = {
  'chat:modelPicker': 'choose-model',
  'chat:cycleMode': 'choose-mode',
  'chat:killAgents': 'stop-all',
  'app:interrupt': 'stop-all',
  'app:quickOpen': 'palette',
  'app:toggleTranscript': 'answer',
  'task:background': 'agent.background',
}

/** The keys of Claude Code's file as a preset. */
export function presetOf(bindings: readonly ClaudeKey[]): KeyPreset {
  const keys: Partial<Record<KeyActionId, string>> = {}
  const unused: string[] = []
  for (const binding of bindings) {
    const found = keysFor(binding)
    if (typeof found === 'string')
      unused.push(`${binding.line === null ? '' : `Line ${binding.line}: `}${found}`)
    else keys[found.id] = found.keys
  }
  return { id: 'claude-code', name: 'Claude Code', keys, unused }
}

function keysFor({ keys, action }: ClaudeKey): string | { readonly id: KeyActionId; readonly keys: string } {
  if (action === null) return `“${keys}” only takes a key away from Claude Code.`
  const id = ACTIONS[action]
  if (id === undefined) return `Troupe has no action like “${action}”.`
  if (/\s/.test(keys.trim())) return `“${keys}” is pressed in two steps, which Troupe can’t do.`
  // A capital letter means that Shift is held.
  const isCapital = /(?:^|\+)[A-Z]$/.test(keys)
  const read = readKeys(isCapital ? keys.replace(/(.)$/, 'shift+$1') : keys)
  return read.ok ? { id, keys: read.keys } : `“${keys}” for “${action}”: ${read.reason}`
}

/** What a preset changes of one action. */
export interface PresetChange {
  readonly action: KeyAction
  /** The keys now; undefined: none. */
  readonly from: string | undefined
  readonly to: string
  /** The other actions that would have the same keys. */
  readonly conflicts: readonly string[]
}

/** The actions that a preset would give other keys, with the conflicts that there would be then. */
export function presetChanges(
  { keys }: Pick<KeyPreset, 'keys'>,
  now: Pick<KeyBindings, 'bindings'>,
): readonly PresetChange[] {
  const chosen = Object.fromEntries(Object.entries(keys).map(([id, to]) => [id, { keys: to, line: null }]))
  const conflicts = keyConflicts({ bindings: { ...now.bindings, ...chosen } })
  return KEY_ACTIONS.flatMap((action) => {
    const to = keys[action.id]
    const from = boundKeys(action.id, now)
    return to === undefined || to === from
      ? []
      : [{ action, from, to, conflicts: conflicts.get(action.id) ?? [] }]
  })
}
