/** One row of the settings: name, key, hint, use, control, where it is set, and Reset where it is changed. */
import { RotateCcw } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useContext, useId, useLayoutEffect, useState } from 'react'
import type { SettingsPatch } from '../../shared/settings/settings.ts'
import { isProtectedSetting, type SettingOrigin } from '../../shared/settings/settings-layers.ts'
import { IconButton } from './button.tsx'
import {
  isSettingFound,
  NOW_COLUMNS,
  ROW_COLUMNS,
  RowListContext,
  SettingsSearchContext,
  SettingsSourceContext,
} from './setting-page.tsx'
import { classNames } from './text/class-names.ts'
import { INPUT_CLASS } from './text-field.tsx'

interface RowProps {
  readonly title: string
  readonly hint?: ReactNode
  /** The key in the settings file; keys of a part with dots between: `sandbox.enabled`. */
  readonly name?: string
  /** Other words that find the row. */
  readonly words?: string
  readonly error?: string | null
  /** What of the setting is used now; null: unknown. Missing: the table has no such column. */
  readonly now?: ReactNode
  /** For a row that is no setting: where it is from, as a link. */
  readonly place?: ReactNode
  /** Below the row, as wide as the table: a form, a list. */
  readonly below?: ReactNode
  readonly children?: ReactNode
}

/** One setting. In a search it is shown only where it matches. */
export function Row({ title, hint, name, words = '', error, now, place, below, children }: RowProps) {
  const id = useId()
  const search = useContext(SettingsSearchContext)
  const { onlyChanged, report } = useContext(RowListContext)
  const origin = useContext(SettingsSourceContext).origins[name ?? '']
  const isChanged = origin?.kind === 'own'
  useLayoutEffect(() => {
    if (name === undefined) return
    report(id, isChanged)
    return () => report(id, null)
  }, [id, name, isChanged, report])
  const texts = [title, name ?? '', typeof hint === 'string' ? hint : '', words]
  if (search !== null && !isSettingFound(search.query, texts)) return null
  if (onlyChanged && !isChanged) return null
  return (
    <fieldset
      aria-label={title}
      tabIndex={-1}
      data-setting={name ?? title}
      className="min-w-0 px-3.5 py-1 focus-visible:-outline-offset-2 group-last/section:last:rounded-b-lg"
    >
      <div
        className={classNames(
          'min-h-9 gap-y-1.5',
          now === undefined
            ? `${ROW_COLUMNS} @max-[40rem]:flex @max-[40rem]:flex-wrap @max-[40rem]:justify-between`
            : `${NOW_COLUMNS} @max-[40rem]:grid-cols-[minmax(0,1fr)_9.75rem_minmax(0,11rem)]`,
        )}
      >
        <div className="min-w-0 @max-[40rem]:col-span-full @max-[40rem]:w-full">
          <div className="flex flex-wrap items-baseline gap-x-2">
            <span className="font-medium text-fg-0 text-md wrap-anywhere">{title}</span>
            {name !== undefined && <code className="font-mono text-fg-2 text-xs wrap-anywhere">{name}</code>}
          </div>
          {hint !== undefined && <div className="text-fg-2 text-xs">{hint}</div>}
          {origin?.kind === 'overrides' && (
            <p className="text-fg-1 text-xs">Your administrator set this. A change here has no effect.</p>
          )}
          <div aria-live="polite" className="text-bad text-sm empty:hidden">
            {error}
          </div>
        </div>
        {now !== undefined && <div className="min-w-0">{now}</div>}
        <div data-control="" className="flex max-w-full flex-wrap items-center justify-end gap-2">
          {children}
        </div>
        <div className="flex min-w-0 items-center gap-2">
          {name !== undefined && <SetIn title={title} name={name} origin={origin} />}
          {place}
        </div>
      </div>
      {below !== undefined && (
        <div data-control="" className="pt-1.5 pb-1.5">
          {below}
        </div>
      )}
    </fieldset>
  )
}

const SOURCES: Readonly<Record<SettingOrigin['kind'], string>> = {
  own: 'user',
  overrides: 'managed',
  default: 'Claude Code',
}

interface SetInProps {
  readonly title: string
  readonly name: string
  readonly origin: SettingOrigin | undefined
}

/** Where a setting is set, and its removal from the program's own file. */
function SetIn({ title, name, origin }: SetInProps) {
  const { onReset } = useContext(SettingsSourceContext)
  const [error, setError] = useState<string | null>(null)
  if (origin === undefined) return <span className="font-mono text-fg-2 text-xs">default</span>
  return (
    <>
      <span className="min-w-0 font-mono text-fg-2 text-xs wrap-anywhere">
        {SOURCES[origin.kind]} · <FileLink file={origin.file} line={origin.line} />
        {error !== null && <span className="block font-sans text-bad">{error}</span>}
      </span>
      {origin.kind === 'own' && !isProtectedSetting(name) && (
        <IconButton
          label={`Reset ${title}`}
          hint={`Removes ${name} from settings.json`}
          icon={RotateCcw}
          className="ml-auto"
          onClick={() => void onReset(name).then(setError)}
        />
      )}
    </>
  )
}

interface FileLinkProps {
  readonly file: string
  readonly line: number | null
  /** Instead of the name of the file. */
  readonly shown?: string
}

interface FilePlaceProps {
  /** Who wrote it: "user", "project". */
  readonly source: string
  /** Absolute; null: it is in no file. */
  readonly file: string | null
  readonly line: number | null
  /** Instead of the name of the file. */
  readonly shown?: string
}

/** Where something is from, as settings say it: "user · settings.json:14", with a link to the line. */
export function FilePlace({ source, file, ...link }: FilePlaceProps) {
  return (
    <span className="min-w-0 font-mono text-fg-2 text-xs wrap-anywhere">
      {source}
      {file !== null && (
        <>
          {' · '}
          <FileLink file={file} {...link} />
        </>
      )}
    </span>
  )
}

/** The name of a file with a line; a click opens it in the user's editor. */
export function FileLink({ file, line, shown }: FileLinkProps) {
  const { onOpen } = useContext(SettingsSourceContext)
  const at = line === null ? '' : `:${line}`
  return (
    <button
      type="button"
      title={`Open ${file}${at}`}
      onClick={() => onOpen(file, line)}
      className="text-left text-fg-1 underline decoration-line-strong underline-offset-2 wrap-anywhere hover:text-fg-0 hover:decoration-current"
    >
      {shown ?? file.split(/[\\/]/).at(-1)}
      {at}
    </button>
  )
}

interface NumberRowProps {
  readonly title: string
  readonly hint: string
  readonly name: keyof SettingsPatch & string
  readonly value: number
  readonly min: number
  readonly max: number
  readonly onChange: (value: number) => Promise<void>
  readonly error: string | null
  /** As of a row. */
  readonly now?: ReactNode
}

/** A whole number: applies on Enter and on blur; invalid text stays, with the reason. */
export function NumberRow({ title, hint, name, value, min, max, onChange, error, now }: NumberRowProps) {
  const id = useId()
  const [typed, setTyped] = useState<string | null>(null)
  const shown = typed ?? String(value)
  const wrong = typed !== null && !isWhole(typed, min, max)
  const take = () => {
    if (typed === null || wrong) return
    setTyped(null)
    if (Number(typed) !== value) void onChange(Number(typed))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') take()
    else if (event.key === 'Escape' && typed !== null) {
      setTyped(null)
      event.stopPropagation()
    } else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
      const next = (isWhole(shown, min, max) ? Number(shown) : value) + (event.key === 'ArrowUp' ? 1 : -1)
      setTyped(String(Math.min(max, Math.max(min, next))))
      event.preventDefault()
    }
  }
  return (
    <Row
      title={title}
      hint={hint}
      name={name}
      {...(now !== undefined && { now })}
      error={wrong ? `A whole number from ${min} to ${max}.` : error}
    >
      <label htmlFor={id} className="sr-only">
        {title}
      </label>
      <input
        id={id}
        inputMode="numeric"
        value={shown}
        aria-invalid={wrong || undefined}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={take}
        onKeyDown={onKeyDown}
        className={`${INPUT_CLASS} h-7 w-32! text-right font-mono text-sm`}
      />
    </Row>
  )
}

function isWhole(text: string, min: number, max: number): boolean {
  return /^\d+$/.test(text.trim()) && Number(text) >= min && Number(text) <= max
}
