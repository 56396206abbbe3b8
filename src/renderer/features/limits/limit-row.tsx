/** A limit of the settings: a number, or none. Applies on Enter and on blur; invalid text stays, with the reason. */
import { type KeyboardEvent, useId, useRef, useState } from 'react'
import type { AmountKind } from '../../../shared/settings/limit-amounts.ts'
import type { SettingsPatch } from '../../../shared/settings/settings.ts'
import { useChange } from '../../stores/settings-store.ts'
import { Button } from '../../ui/button.tsx'
import { Row } from '../../ui/setting-row.tsx'
import { type Bounds, limitText, readLimit } from '../../ui/text/limit-text.ts'
import { INPUT_CLASS } from '../../ui/text-field.tsx'

interface LimitRowProps {
  readonly title: string
  readonly hint: string
  readonly name: keyof SettingsPatch & string
  readonly kind: AmountKind
  readonly bounds: Bounds
  /** Null: no limit. */
  readonly value: number | null
  readonly usual: number | null
}

export function LimitRow({ title, hint, name, kind, bounds, value, usual }: LimitRowProps) {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState<string | null>(null)
  const [error, change] = useChange()
  const read = typed === null ? null : readLimit(kind, typed, bounds)
  const wrong = read?.ok === false ? read.message : null

  const set = (next: number | null) => {
    setTyped(null)
    if (next !== value) void change({ [name]: next })
  }
  const take = () => {
    if (read?.ok) set(read.value)
  }
  /** An empty field on blur is no decision: only Enter and the button remove a limit. */
  const onBlur = () => {
    if (typed?.trim() === '') setTyped(null)
    else take()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') take()
    else if (event.key === 'Escape' && typed !== null) {
      setTyped(null)
      event.stopPropagation()
    }
  }
  const onNoLimit = () => {
    if (value !== null || typed !== null) set(null)
    else if (usual !== null) set(usual)
    else field.current?.focus()
  }
  return (
    <Row
      title={title}
      hint={`${hint} Default: ${usual === null ? 'no limit' : limitText(usual)}.`}
      name={name}
      error={wrong ?? error}
    >
      <label htmlFor={id} className="sr-only">
        {title}
      </label>
      <input
        ref={field}
        id={id}
        inputMode="decimal"
        autoComplete="off"
        value={typed ?? limitText(value)}
        placeholder="no limit"
        aria-invalid={wrong === null ? undefined : true}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={onBlur}
        onKeyDown={onKeyDown}
        className={`${INPUT_CLASS} h-7 w-28! text-right font-mono text-sm placeholder:text-fg-2`}
      />
      <Button
        size="md"
        variant={value === null && typed === null ? 'secondary' : 'quiet'}
        aria-label={`${title}: no limit`}
        aria-pressed={value === null && typed === null}
        // The blur of the field would apply the typed text first.
        onMouseDown={(event) => event.preventDefault()}
        onClick={onNoLimit}
        className="h-7"
      >
        No limit
      </Button>
    </Row>
  )
}
