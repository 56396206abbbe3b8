/** The parts of every settings section. */
import { createContext, type KeyboardEvent, type ReactNode, useContext, useId, useState } from 'react'
import type { SettingsPatch } from '../../shared/settings/settings.ts'
import type { SettingOrigin } from '../../shared/settings/settings-layers.ts'
import { INPUT_CLASS } from './text-field.tsx'

/** What sections say about the files that settings come from. */
interface SettingsSource {
  /** The path of the program's own file. */
  readonly file: string
  /** Shows the file in its folder. */
  readonly onShow: () => void
  /** The other files that decide settings, by the name of the setting. */
  readonly origins: Readonly<Record<string, SettingOrigin>>
}

/** Around all sections. */
export const SettingsSourceContext = createContext<SettingsSource>({
  file: '',
  onShow: () => {},
  origins: {},
})

/** The path of the settings file; a click shows the file in its folder. */
export function SettingsFile() {
  const { file, onShow } = useContext(SettingsSourceContext)
  return (
    <button
      type="button"
      title="Show in folder"
      onClick={onShow}
      className="break-all text-left font-mono text-fg-1 text-xs underline decoration-line-strong underline-offset-2 hover:text-fg-0"
    >
      {file}
    </button>
  )
}

interface SectionProps {
  readonly id: string
  readonly title: string
  /** Where the values are stored. */
  readonly kept: ReactNode
  readonly children: ReactNode
}

/** A titled group of rows. */
export function Section({ id, title, kept, children }: SectionProps) {
  return (
    <section id={id} aria-labelledby={`${id}-title`} className="scroll-mt-6 pb-10">
      <h2 id={`${id}-title`} className="font-semibold text-fg-0 text-lg">
        {title}
      </h2>
      <p className="pb-3 text-fg-2 text-sm">{kept}</p>
      <div className="divide-y divide-line rounded-md border border-line bg-bg-1">{children}</div>
    </section>
  )
}

interface RowProps {
  readonly title: string
  readonly hint?: ReactNode
  /** The name of the setting in the file. */
  readonly name?: string
  readonly error?: string | null
  readonly children?: ReactNode
}

/** One setting: its title, hint, origin and error, and its control. */
export function Row({ title, hint, name, error, children }: RowProps) {
  return (
    <div className="flex flex-wrap items-start gap-x-6 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-[1_1_16rem]">
        <div className="flex flex-wrap items-baseline gap-x-2">
          <span className="font-medium text-fg-0 text-md">{title}</span>
          {name !== undefined && <code className="font-mono text-fg-2 text-xs">{name}</code>}
        </div>
        {hint !== undefined && <div className="text-fg-2 text-sm">{hint}</div>}
        {name !== undefined && <Origin name={name} />}
        <div aria-live="polite" className="text-bad text-sm empty:hidden">
          {error}
        </div>
      </div>
      {children !== undefined && <div className="flex max-w-full items-center gap-2">{children}</div>}
    </div>
  )
}

/** The other file that decides a setting; nothing for a setting of the program's own file. */
function Origin({ name }: { readonly name: string }) {
  const origin = useContext(SettingsSourceContext).origins[name]
  if (origin === undefined) return null
  return (
    <p className="break-all text-fg-2 text-xs">
      {origin.kind === 'overrides'
        ? `Your administrator's ${origin.file} overrides this.`
        : `The value is from ${origin.file}. A change here is stored in Troupe's own file, which counts first.`}
    </p>
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
}

/** A whole number: applies on Enter and on blur; invalid text stays, with the reason. */
export function NumberRow({ title, hint, name, value, min, max, onChange, error }: NumberRowProps) {
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
        className={`${INPUT_CLASS} h-7 w-20! text-right font-mono text-sm`}
      />
    </Row>
  )
}

function isWhole(text: string, min: number, max: number): boolean {
  return /^\d+$/.test(text.trim()) && Number(text) >= min && Number(text) <= max
}
