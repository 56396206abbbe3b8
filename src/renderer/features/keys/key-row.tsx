/** One line of the keys: an action whose keys are pressed anew in the row, or fixed keys with the reason. */
import { Lock, Pencil, RotateCcw, X } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { type KeyAction, type KeyBindings, readKeys } from '../../../shared/commands/key-bindings.ts'
import type { KeyPlace } from '../../../shared/commands/key-map.ts'
import { resetKeys, setKeys } from '../../stores/keys-store.ts'
import { IconButton } from '../../ui/button.tsx'
import { Kbd, shortcutText } from '../../ui/kbd.tsx'
import { pressedKeys } from '../../ui/platform.ts'
import { FileLink } from '../../ui/setting-row.tsx'
import { classNames } from '../../ui/text/class-names.ts'

export const KEY_COLUMNS =
  'grid grid-cols-[minmax(0,1.35fr)_minmax(0,1fr)_minmax(0,1fr)_minmax(0,0.85fr)_3rem] items-center gap-x-4 px-3.5'

interface KeyRowProps {
  readonly action: KeyAction
  /** Undefined: none. */
  readonly keys: string | undefined
  readonly binding: KeyBindings['bindings'][KeyAction['id']]
  readonly file: string
  /** The titles of other actions with the same keys. */
  readonly conflicts: readonly string[]
  readonly isRecording: boolean
  readonly onRecord: (on: boolean) => void
}

export function KeyRow(props: KeyRowProps) {
  const { action, keys, binding, file, conflicts, isRecording, onRecord } = props
  const { id, title, when } = action
  const [error, setError] = useState<string | null>(null)
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (isRecording) button.current?.focus()
  }, [isRecording])
  const record = (on: boolean) => {
    setError(null)
    onRecord(on)
  }
  const save = async (next: string | null) => {
    onRecord(false)
    setError(next === keys ? null : await setKeys({ [id]: next }))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isRecording) return
    const pressed = pressedKeys(event.nativeEvent)
    // Tab leaves the row, so that the keyboard is never caught.
    if (pressed === null || pressed === 'Tab' || pressed === 'Shift Tab') return
    event.preventDefault()
    event.stopPropagation()
    if (pressed === 'Esc') return record(false)
    if (pressed === 'Backspace' || pressed === 'Delete') return void save(null)
    const read = readKeys(pressed)
    if (read.ok) void save(read.keys)
    else setError(`${shortcutText(pressed)}: ${read.reason}`)
  }
  const isBad = conflicts.length > 0
  return (
    <li
      data-key-action={id}
      className={classNames(
        'border-line border-t',
        isRecording && 'bg-accent/8 shadow-[inset_2px_0_0_var(--accent)]',
      )}
    >
      <div className={`${KEY_COLUMNS} min-h-7 py-0.5`}>
        <span className="text-fg-0">{title}</span>
        <button
          ref={button}
          type="button"
          title={isRecording ? undefined : 'Change the keys'}
          onClick={() => record(true)}
          onBlur={() => isRecording && record(false)}
          onKeyDown={onKeyDown}
          className="flex min-h-6 items-center gap-2 rounded-sm text-left"
        >
          {isRecording ? (
            <>
              <span className="whitespace-nowrap text-accent">
                Press the new keys<span className="sr-only"> of {title}.</span>
              </span>
              <span className="text-fg-2 text-xs">Esc cancels</span>
            </>
          ) : (
            <>
              <span className="sr-only">Keys of {title}: </span>
              {keys === undefined ? <NoKeys /> : <Keys keys={keys} isBad={isBad} />}
            </>
          )}
        </button>
        <span className={isRecording ? 'text-fg-2' : isBad ? 'text-bad' : 'text-fg-1'}>
          {isRecording ? 'Backspace removes the keys' : isBad ? `Also: ${conflicts.join(', ')}` : when}
        </span>
        <span className="font-mono text-fg-2 text-xs">
          {binding === undefined ? (
            'default'
          ) : (
            <>
              user · <FileLink file={file} line={binding.line} />
            </>
          )}
        </span>
        <span className="flex justify-end">
          {binding !== undefined && !isRecording && (
            <IconButton
              label={`Reset ${title}`}
              hint={`Back to ${action.keys === null ? 'no keys' : shortcutText(action.keys)}`}
              icon={RotateCcw}
              onClick={() => void resetKeys([id]).then(setError)}
            />
          )}
          <IconButton
            label={isRecording ? `Cancel new keys of ${title}` : `Change the keys of ${title}`}
            icon={isRecording ? X : Pencil}
            // The blur of the row would cancel first, and the click begin again.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => record(!isRecording)}
          />
        </span>
      </div>
      <p aria-live="polite" className="px-3.5 pb-1.5 text-bad text-xs empty:hidden">
        {error}
      </p>
    </li>
  )
}

const REASON =
  'Fixed: works only while this part of the window has the focus, where it belongs to how the part is used.'

interface FixedRowProps {
  readonly title: string
  readonly keys: readonly string[]
  readonly place: KeyPlace
}

/** Keys that the user can't change. */
export function FixedRow({ title, keys, place }: FixedRowProps) {
  return (
    <li className={`${KEY_COLUMNS} min-h-7 border-line border-t py-0.5`}>
      <span className="text-fg-0">{title}</span>
      <span className="flex flex-wrap gap-1.5">
        {keys.map((one) => (
          <Keys key={one} keys={one} />
        ))}
      </span>
      <span className="text-fg-1">{place}</span>
      <span className="font-mono text-fg-2 text-xs">fixed</span>
      <span title={REASON} className="flex justify-end pr-1 text-fg-2">
        <Lock size={12} strokeWidth={1.75} aria-hidden="true" />
        <span className="sr-only">{REASON}</span>
      </span>
    </li>
  )
}

function NoKeys() {
  return (
    <>
      <span aria-hidden="true" className="text-fg-2">
        –
      </span>
      <span className="sr-only">none</span>
    </>
  )
}

/** Each key in a box of its own. */
function Keys({ keys, isBad = false }: { readonly keys: string; readonly isBad?: boolean }) {
  return (
    <span className={classNames('flex flex-wrap gap-1', isBad && 'rounded-sm outline outline-bad/60')}>
      <span className="sr-only">{shortcutText(keys)}</span>
      {(keys === 'Any letter' ? [keys] : keys.split(' ')).map((key) => (
        <Kbd key={key} keys={key} />
      ))}
    </span>
  )
}
