/**
 * The keys that the user can change: of the commands, and of a focused agent and its panel. `keybindings.json` has the
 * user's choices by the ids of the actions. What is not in it has its default.
 */
import { COMMANDS } from './commands.ts'
import { AGENT_KEYS, KEY_MAP, type KeyActionId, type KeyPlace, PANEL_KEYS } from './key-map.ts'

type AgentKey = Exclude<keyof typeof AGENT_KEYS, 'continue' | 'resume'>

export interface KeyAction {
  readonly id: KeyActionId
  readonly title: string
  readonly place: KeyPlace
  /** When the keys work, for people. */
  readonly when: string
  /** The default; null: none. */
  readonly keys: string | null
}

/** One choice of the user. */
interface KeyBinding {
  /** Null: the action has no keys. */
  readonly keys: string | null
  /** Its line in the file, counted from 1. */
  readonly line: number | null
}

export interface KeyBindings {
  /** The file, whether it exists or not. */
  readonly file: string
  readonly bindings: Readonly<Partial<Record<KeyActionId, KeyBinding>>>
  /** What of the file does not count, as sentences with its file and line. */
  readonly problems: readonly string[]
}

const AGENT_TITLES: Readonly<Record<AgentKey, string>> = {
  write: 'Message',
  pause: 'Pause, continue or resume',
  retry: 'Try a failed request now',
  background: 'Move to background',
  review: 'Review changes',
  stop: 'Stop',
}

const agentKeys = Object.keys(AGENT_TITLES) as readonly AgentKey[]

/** Every action with keys of its own choice, in the order of the table. */
export const KEY_ACTIONS: readonly KeyAction[] = [
  ...(['Go to', 'Conversation', 'Agents', 'Window'] as const).flatMap((place) =>
    COMMANDS.filter(({ group }) => group === place).map(
      ({ id, title, keys = null, when }): KeyAction => ({
        ...{ id, title, place, keys },
        when: when === undefined ? 'Everywhere' : 'Where it applies',
      }),
    ),
  ),
  ...agentKeys.map(
    (name): KeyAction => ({
      id: `agent.${name}`,
      title: AGENT_TITLES[name],
      place: 'Focused agent',
      when: 'An agent is focused',
      keys: AGENT_KEYS[name],
    }),
  ),
  {
    id: 'panel.focus',
    title: 'Focus the panel, or show all panels',
    place: 'Focused agent',
    when: 'A panel is focused',
    keys: PANEL_KEYS.focus,
  },
  {
    id: 'panel.pin',
    title: 'Pin or unpin the panel',
    place: 'Focused agent',
    when: 'A panel is focused',
    keys: PANEL_KEYS.pin,
  },
]

const BY_ID = new Map(KEY_ACTIONS.map((action) => [action.id, action]))

export function isKeyActionId(id: string): id is KeyActionId {
  return BY_ID.has(id as KeyActionId)
}

/** The keys of an action now; undefined: none. */
export function boundKeys(id: KeyActionId, { bindings }: Pick<KeyBindings, 'bindings'>): string | undefined {
  const chosen = bindings[id]
  return (chosen === undefined ? BY_ID.get(id)?.keys : chosen.keys) ?? undefined
}

/** The other actions with the same keys, by action: their titles, with their place if it is a part of the window. */
export function keyConflicts(
  bound: Pick<KeyBindings, 'bindings'>,
): ReadonlyMap<KeyActionId, readonly string[]> {
  const found = new Map<KeyActionId, readonly string[]>()
  for (const { id } of KEY_ACTIONS) {
    const keys = boundKeys(id, bound)
    if (keys === undefined) continue
    const others = KEY_ACTIONS.filter((other) => other.id !== id && boundKeys(other.id, bound) === keys)
    // Fixed keys have their part of the window, so they matter only beside a choice of the user.
    const fixed = bound.bindings[id] === undefined ? [] : FIXED.filter((line) => line.keys.includes(keys))
    const titles = [
      ...others.map(({ title }) => title),
      ...fixed.map(({ title, place }) => `${title} (${place})`),
    ]
    if (titles.length > 0) found.set(id, titles)
  }
  return found
}

/** The lines of the help that no action has: their keys are fixed. */
export const FIXED_KEYS = KEY_MAP.flatMap(({ place, lines }) => {
  const fixed = lines.filter(({ id }) => id === undefined)
  return fixed.length === 0 ? [] : [{ place, lines: fixed }]
})

const FIXED = FIXED_KEYS.flatMap(({ place, lines }) => lines.map((line) => ({ ...line, place })))

export type ReadKeys =
  | { readonly ok: true; readonly keys: string }
  /** `reason` is a sentence. */
  | { readonly ok: false; readonly reason: string }

/** Reads "Ctrl+Shift+P", "Mod Shift P" or "cmd-k" as `Mod Shift P`. */
export function readKeys(text: string): ReadKeys {
  const parts = text.trim() === '+' ? ['+'] : text.trim().split(/(?<=.)[\s+-]+(?=.)/)
  const modifiers = new Set<string>()
  for (const part of parts.slice(0, -1)) {
    const modifier = MODIFIERS[part.toLowerCase()]
    if (modifier === undefined) return { ok: false, reason: `“${part}” is not Ctrl, Cmd, Alt or Shift.` }
    modifiers.add(modifier)
  }
  const last = parts.at(-1) ?? ''
  const key = NAMED[last.toLowerCase()] ?? (isSingle(last) ? last.toUpperCase() : undefined)
  if (key === undefined) return { ok: false, reason: `“${last}” is not a key.` }
  const isFunction = /^F\d/.test(key)
  if (!isFunction && !modifiers.has('Mod') && !modifiers.has('Alt'))
    return { ok: false, reason: 'Use Ctrl, Cmd, Alt or a function key: other keys type text.' }
  const keys = [...ORDER.filter((modifier) => modifiers.has(modifier)), key].join(' ')
  const reserved = RESERVED[keys]
  return reserved === undefined ? { ok: true, keys } : { ok: false, reason: reserved }
}

const ORDER = ['Mod', 'Alt', 'Shift'] as const

const MODIFIERS: Readonly<Record<string, (typeof ORDER)[number]>> = {
  ...{ mod: 'Mod', ctrl: 'Mod', control: 'Mod', cmd: 'Mod', command: 'Mod', meta: 'Mod' },
  ...{ alt: 'Alt', option: 'Alt', opt: 'Alt', shift: 'Shift' },
}

const NAMED: Readonly<Record<string, string>> = {
  ...{ enter: 'Enter', return: 'Enter', esc: 'Esc', escape: 'Esc', space: 'Space', tab: 'Tab' },
  ...{ backspace: 'Backspace', delete: 'Delete', del: 'Delete', insert: 'Insert', home: 'Home', end: 'End' },
  ...{ pageup: 'PageUp', pagedown: 'PageDown', plus: '+', '↑': '↑', '↓': '↓', '←': '←', '→': '→' },
  ...{ up: '↑', down: '↓', left: '←', right: '→' },
  ...{ arrowup: '↑', arrowdown: '↓', arrowleft: '←', arrowright: '→' },
  ...Object.fromEntries(Array.from({ length: 24 }, (_, index) => [`f${index + 1}`, `F${index + 1}`])),
}

const EDITING = 'These keys edit text in every field.'

const RESERVED: Readonly<Record<string, string>> = {
  ...{ 'Mod C': EDITING, 'Mod X': EDITING, 'Mod V': EDITING, 'Mod A': EDITING },
  ...{ 'Mod Z': EDITING, 'Mod Shift Z': EDITING, 'Mod Y': EDITING },
  'Mod Q': 'These keys quit Troupe.',
}

const isSingle = (text: string): boolean => [...text].length === 1 && text.trim() !== ''
