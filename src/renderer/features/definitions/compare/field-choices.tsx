/** The parts that changed both here and on disk, each with its three versions and a choice. */
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { Segmented } from '../../../ui/segmented.tsx'
import { VisibleText } from '../../../ui/text/visible-text.tsx'
import { BODY, type FieldConflict, WHOLE } from './merge-fields.ts'

export type Side = 'mine' | 'theirs' | 'merged'

/** Whether the part is a text of many lines, which can be merged by hand. */
export const isTextual = ({ key }: Pick<FieldConflict, 'key'>): boolean => key === BODY || key === WHOLE

interface FieldChoicesProps {
  readonly conflicts: readonly FieldConflict[]
  readonly sideOf: (conflict: FieldConflict) => Side | null
  readonly onChoose: (key: string, side: Side) => void
  /** The editor of the merged text, if one of the conflicts is a text. */
  readonly merged: ReactNode
}

/** Fills its parent. The first choice has the focus; arrow keys choose, Tab goes to the next part. */
export function FieldChoices({ conflicts, sideOf, onChoose, merged }: FieldChoicesProps) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => list.current?.querySelector<HTMLElement>('input, [role="radio"]')?.focus(), [])
  return (
    <div ref={list} className="@container flex h-full min-h-0 flex-col gap-4 overflow-y-auto px-4 py-3">
      {conflicts.map((conflict) =>
        isTextual(conflict) ? (
          <TextChoice
            key={conflict.key}
            conflict={conflict}
            side={sideOf(conflict) ?? 'merged'}
            onChoose={(side) => onChoose(conflict.key, side)}
            merged={merged}
          />
        ) : (
          <FieldChoice
            key={conflict.key}
            conflict={conflict}
            side={sideOf(conflict)}
            onChoose={(side) => onChoose(conflict.key, side)}
          />
        ),
      )}
    </div>
  )
}

interface FieldChoiceProps {
  readonly conflict: FieldConflict
  readonly side: Side | null
  readonly onChoose: (side: Side) => void
}

function FieldChoice({ conflict: { key, base, mine, theirs }, side, onChoose }: FieldChoiceProps) {
  const heading = useId()
  return (
    <section aria-labelledby={heading} className="flex shrink-0 flex-col gap-1.5">
      <h3 id={heading} className="font-medium font-mono text-fg-0 text-sm">
        {key}
      </h3>
      <div
        role="radiogroup"
        aria-labelledby={heading}
        className="grid @min-[36rem]:grid-cols-3 grid-cols-1 gap-2"
      >
        <div className="min-w-0 rounded-md border border-line border-dashed px-2.5 py-1.5">
          <Version label="Before" text={base} />
        </div>
        {(['mine', 'theirs'] as const).map((value) => (
          <label
            key={value}
            className="relative min-w-0 cursor-pointer rounded-md border border-line bg-bg-1 px-2.5 py-1.5 outline-accent hover:border-line-strong has-[:checked]:border-accent has-[:checked]:bg-bg-2 has-[:focus-visible]:outline-2"
          >
            {/* With the first arrow key, a native radio chooses also where none is chosen yet. */}
            <input
              type="radio"
              name={heading}
              value={value}
              checked={side === value}
              onChange={() => onChoose(value)}
              aria-label={`${NAMES[value]}: ${shownText(value === 'mine' ? mine : theirs)}`}
              className="sr-only"
            />
            <Version label={NAMES[value]} text={value === 'mine' ? mine : theirs} isChosen={side === value} />
          </label>
        ))}
      </div>
    </section>
  )
}

const NAMES = { mine: 'Mine', theirs: 'On disk' } as const

interface VersionProps {
  readonly label: string
  readonly text: string | null
  readonly isChosen?: boolean
}

function Version({ label, text, isChosen = false }: VersionProps) {
  return (
    <>
      <span className="flex items-center gap-1.5 text-fg-2 text-xs">
        {label}
        {isChosen && <span className="text-fg-0">✓ kept</span>}
      </span>
      <span className="block max-h-48 overflow-y-auto whitespace-pre-wrap break-words font-mono text-fg-0 text-sm">
        {text === null ? (
          <span className="text-fg-2">{ABSENT}</span>
        ) : (
          <VisibleText>{text.trimEnd()}</VisibleText>
        )}
      </span>
    </>
  )
}

const ABSENT = 'Not in the file'

const shownText = (text: string | null): string => text?.trim() ?? ABSENT

interface TextChoiceProps {
  readonly conflict: FieldConflict
  readonly side: Side
  readonly onChoose: (side: Side) => void
  readonly merged: ReactNode
}

/** One of the texts, or their merge: lines that both changed are marked, each with its own buttons. */
function TextChoice({ conflict: { key, base, mine, theirs }, side, onChoose, merged }: TextChoiceProps) {
  const heading = useId()
  const title = key === BODY ? 'Body' : 'Whole text'
  return (
    <section aria-labelledby={heading} className="flex min-h-72 flex-1 flex-col gap-1.5">
      <div className="flex shrink-0 items-center gap-3">
        <h3 id={heading} className="flex-1 font-medium text-fg-0 text-sm">
          {title}
        </h3>
        <Segmented
          label={`Version of ${key}`}
          value={side}
          onChange={onChoose}
          options={[
            { value: 'merged', label: 'Merged' },
            { value: 'mine', label: 'Mine' },
            { value: 'theirs', label: 'On disk' },
          ]}
        />
      </div>
      <div className="grid min-h-0 flex-1 @min-[48rem]:grid-cols-[minmax(0,1fr)_minmax(0,2fr)] gap-2">
        <Plain label="Before" text={base ?? ''} />
        {side === 'merged' ? (
          <div className="min-h-60 overflow-hidden rounded-md border border-line">{merged}</div>
        ) : (
          <Plain label={NAMES[side]} text={(side === 'mine' ? mine : theirs) ?? ''} />
        )}
      </div>
    </section>
  )
}

function Plain({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
      tabIndex={0}
      className="min-h-32 overflow-auto rounded-md border border-line px-2.5 py-1.5"
    >
      <span className="text-fg-2 text-xs">{label}</span>
      <pre className="whitespace-pre-wrap break-words font-mono text-fg-1 text-sm">{text}</pre>
    </section>
  )
}
