/** Settings › Keys: every key of the window, found by its command or by pressing it, and changed in its row. */
import { ChevronDown, Import, Keyboard, Search, X } from 'lucide-react'
import { type KeyboardEvent, useRef, useState } from 'react'
import {
  FIXED_KEYS,
  KEY_ACTIONS,
  type KeyAction,
  keyConflicts,
} from '../../../shared/commands/key-bindings.ts'
import type { KeyActionId } from '../../../shared/commands/key-map.ts'
import {
  type ClaudeKeys,
  KEY_PRESETS,
  type KeyPreset,
  presetOf,
} from '../../../shared/commands/key-presets.ts'
import { command } from '../../bridge.ts'
import { resetKeys, useKeyBindings, useKeysOf } from '../../stores/keys-store.ts'
import { showFailure } from '../../stores/overlay-store.ts'
import { openSettingsFile } from '../../stores/settings-store.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Kbd, shortcutText } from '../../ui/kbd.tsx'
import { Menu, MenuItem, MenuNote, MenuSeparator } from '../../ui/menu.tsx'
import { pressedKeys } from '../../ui/platform.ts'
import { Segmented } from '../../ui/segmented.tsx'
import { SettingsFrame } from '../../ui/setting-page.tsx'
import { VisibleText } from '../../ui/text/visible-text.tsx'
import { FixedRow, KEY_COLUMNS, KeyRow } from './key-row.tsx'
import { PresetDialog } from './preset-dialog.tsx'

type Shown = 'all' | 'changed' | 'conflicts'

export function KeysPage() {
  const state = useKeyBindings()
  const keysOf = useKeysOf()
  const [text, setText] = useState('')
  /** The keys that were pressed in the search; null: the search has text. */
  const [pressed, setPressed] = useState<string | null>(null)
  const [shown, setShown] = useState<Shown>('all')
  const [recording, setRecording] = useState<KeyActionId | null>(null)
  /** The row that was changed last: it stays, although its new keys may not match the search. */
  const [kept, setKept] = useState<KeyActionId | null>(null)
  const [error, setError] = useState<string | null>(null)
  const conflicts = keyConflicts(state)
  const changed = Object.keys(state.bindings).length
  const isFound = (title: string, place: string, keys: readonly string[]) =>
    pressed !== null
      ? keys.includes(pressed)
      : matches(text, [title, place, ...keys, ...keys.map(shortcutText)])
  const actions = KEY_ACTIONS.filter((action) => {
    if (action.id === kept) return true
    if (shown === 'changed' && state.bindings[action.id] === undefined) return false
    if (shown === 'conflicts' && !conflicts.has(action.id)) return false
    return isFound(action.title, action.place, [keysOf(action.id) ?? []].flat())
  })
  const fixed =
    shown === 'all'
      ? FIXED_KEYS.map(({ place, lines }) => ({
          place,
          lines: lines.filter(({ title, keys }) => isFound(title, place, keys)),
        })).filter(({ lines }) => lines.length > 0)
      : []
  const places = [...new Set([...actions, ...fixed].map(({ place }) => place))]
  const all = KEY_ACTIONS.length + FIXED_KEYS.reduce((sum, { lines }) => sum + lines.length, 0)

  const row = (action: KeyAction) => (
    <KeyRow
      key={action.id}
      action={action}
      keys={keysOf(action.id)}
      binding={state.bindings[action.id]}
      file={state.file}
      conflicts={conflicts.get(action.id) ?? []}
      isRecording={recording === action.id}
      onRecord={(on) => {
        setRecording(on ? action.id : null)
        if (on) setKept(action.id)
      }}
    />
  )
  return (
    <SettingsFrame
      title="Keys"
      sentence="Press a row’s keys to change them. Your changes are kept in keybindings.json and count at once in all windows."
      actions={
        <>
          {changed > 0 && <ResetAll onDone={setError} />}
          <PresetsMenu />
          <Button title={`Open ${state.file}`} onClick={() => void openSettingsFile(state.file, null)}>
            keybindings.json
          </Button>
        </>
      }
    >
      {[...state.problems, ...(error === null ? [] : [error])].map((problem) => (
        <p key={problem} role="alert" className="text-bad text-sm wrap-anywhere" data-selectable="">
          <VisibleText>{problem}</VisibleText>
        </p>
      ))}
      <div className="flex flex-wrap items-center gap-2.5">
        <KeySearch
          text={text}
          pressed={pressed}
          onChange={(next) => {
            setText(next.text)
            setPressed(next.pressed)
            setKept(null)
          }}
        />
        <Segmented
          label="Keys shown"
          value={shown}
          onChange={(next) => {
            setShown(next)
            setKept(null)
          }}
          options={[
            { value: 'all', label: `All ${all}` },
            { value: 'changed', label: `Changed ${changed}` },
            { value: 'conflicts', label: `Conflicts ${conflicts.size}` },
          ]}
        />
      </div>
      {places.length === 0 ? (
        <p role="status" className="text-fg-2 text-sm">
          {pressed === null ? 'No command matches.' : `Nothing uses ${shortcutText(pressed)}.`}
        </p>
      ) : (
        <div className="overflow-hidden rounded-lg border border-line bg-bg-1 text-sm">
          <div aria-hidden="true" className={`${KEY_COLUMNS} h-7 bg-bg-2 text-fg-2 text-xs`}>
            <span>Command</span>
            <span>Keys</span>
            <span>When</span>
            <span>Set in</span>
          </div>
          {places.map((place) => (
            <section key={place} aria-label={place}>
              <h2 className="flex h-7 items-center border-line border-t bg-bg-2 px-3.5 font-semibold text-fg-0 text-xs">
                {place}
              </h2>
              <ul>
                {actions.filter((action) => action.place === place).map(row)}
                {fixed
                  .filter((part) => part.place === place)
                  .flatMap(({ lines }) => lines)
                  .map(({ title, keys }) => (
                    <FixedRow key={`${title} ${keys.join()}`} title={title} keys={keys} place={place} />
                  ))}
              </ul>
            </section>
          ))}
        </div>
      )}
    </SettingsFrame>
  )
}

function matches(query: string, texts: readonly string[]): boolean {
  const text = texts.join(' ').toLowerCase()
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

interface KeySearchProps {
  readonly text: string
  readonly pressed: string | null
  readonly onChange: (next: { readonly text: string; readonly pressed: string | null }) => void
}

/** Keys that edit the text of the field stay with it. */
const EDITS = /^Mod (?:Shift )?[ACVXZY]$|^(?:Mod |Alt |Shift )*(?:←|→|Backspace|Delete|Home|End)$/

/** Takes text, or a key with Ctrl, Cmd or Alt, or a function key. */
function KeySearch({ text, pressed, onChange }: KeySearchProps) {
  const field = useRef<HTMLInputElement>(null)
  const clear = () => onChange({ text: '', pressed: null })
  const onKeyDown = (event: KeyboardEvent) => {
    const keys = pressedKeys(event.nativeEvent)
    if (keys === null) return
    const isEmpty = pressed === null && text === ''
    if ((event.key === 'Escape' && !isEmpty) || (event.key === 'Backspace' && pressed !== null)) clear()
    else if (/^(?:Mod|Alt) |^(?:Shift )?F\d/.test(keys) && !EDITS.test(keys))
      onChange({ text: '', pressed: keys })
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <label className="flex h-[1.875rem] min-w-0 flex-[1_1_18rem] items-center gap-2 rounded-[6px] border border-line bg-bg-0 px-2.5 text-fg-2 focus-within:border-accent">
      <Search size={13} strokeWidth={1.75} aria-hidden="true" />
      {pressed !== null && <Kbd keys={pressed} />}
      <input
        ref={field}
        data-page-search=""
        aria-label="Search keys"
        aria-description={pressed === null ? undefined : `Shows what ${shortcutText(pressed)} does`}
        aria-keyshortcuts="/"
        placeholder={pressed === null ? 'Type a command, or press keys to find what they do' : ''}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => onChange({ text: event.target.value, pressed: null })}
        onKeyDown={onKeyDown}
        className="min-w-0 flex-1 bg-transparent text-fg-0 text-sm outline-none placeholder:text-fg-2"
      />
      {text === '' && pressed === null ? (
        <Kbd keys="/" />
      ) : (
        <IconButton
          label="Clear the search"
          icon={X}
          onClick={() => {
            clear()
            // The pressed button is gone.
            field.current?.focus()
          }}
        />
      )}
    </label>
  )
}

/** Keys that people know from other programs, Claude Code's file included. */
function PresetsMenu() {
  const [claude, setClaude] = useState<ClaudeKeys | null>(null)
  const [shown, setShown] = useState<KeyPreset | null>(null)
  const read = async () => {
    const answer = await command('keys.claude', {})
    if (answer.ok) setClaude(answer.value)
    else showFailure(answer.failure)
  }
  const { bindings: found = null, problem = null, file = '' } = claude ?? {}
  return (
    <>
      <Menu
        align="end"
        onOpenChange={(open) => open && void read()}
        trigger={
          <Button>
            Presets <ChevronDown size={12} aria-hidden="true" />
          </Button>
        }
      >
        {KEY_PRESETS.map((preset) => (
          <MenuItem key={preset.id} icon={Keyboard} onSelect={() => setShown(preset)}>
            {preset.name}…
          </MenuItem>
        ))}
        <MenuSeparator />
        <MenuItem
          icon={Import}
          disabled={found === null || problem !== null}
          onSelect={() => found !== null && setShown(presetOf(found))}
        >
          Import from Claude Code…
        </MenuItem>
        {claude !== null && (found === null || problem !== null) && (
          <MenuNote>{problem ?? `There is no ${file}.`}</MenuNote>
        )}
      </Menu>
      {shown !== null && <PresetDialog preset={shown} onClose={() => setShown(null)} />}
    </>
  )
}

/** A second press confirms. */
function ResetAll({ onDone }: { readonly onDone: (error: string | null) => void }) {
  const [isSure, setSure] = useState(false)
  const press = () => {
    if (!isSure) return setSure(true)
    setSure(false)
    void resetKeys(null).then(onDone)
  }
  return (
    <Button variant={isSure ? 'danger' : 'secondary'} onBlur={() => setSure(false)} onClick={press}>
      {isSure ? 'Really reset all' : 'Reset all'}
    </Button>
  )
}
