/** A file in conflict: both sides of each conflict next to each other, and the user's choice between them. */
import { useEffect, useId, useMemo, useRef } from 'react'
import type { ReviewConflict } from '../../../shared/worktrees/review.ts'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { count } from '../../ui/text/format.ts'
import { VisibleText } from '../../ui/text/visible-text.tsx'
import { INPUT_CLASS } from '../../ui/text-field.tsx'
import {
  type ConflictPart,
  conflictKeys,
  conflictParts,
  hasMarkerLine,
  isChosenWhole,
  isResolved,
  type Resolution,
  type ResolutionChoice,
} from './conflict-resolution.ts'

interface ConflictFileProps {
  readonly conflict: ReviewConflict
  /** Names of the two sides: the target or other worktree first, then this worktree. */
  readonly sides: readonly [string, string]
  /** Null: the conflicts can't be resolved here. */
  readonly resolution: Resolution | null
}

export function ConflictFile({ conflict, sides, resolution }: ConflictFileProps) {
  const { path, text, because } = conflict
  const parts = useMemo(() => (text === null ? [] : conflictParts(text)), [text])
  const keys = useMemo(() => conflictKeys(conflict), [conflict])
  const whole = isChosenWhole(conflict)
  const open = resolution === null ? 0 : keys.filter((key) => !isResolved(resolution.choices[key])).length
  let index = -1
  return (
    <article aria-label={path} className="overflow-hidden rounded-md border border-line bg-bg-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-b bg-bg-1 px-3 py-1.5">
        <h4 className="flex min-w-0 flex-[1_1_16rem] flex-wrap items-baseline gap-x-3">
          <span
            className="max-w-full truncate font-mono font-semibold text-fg-0 text-sm"
            dir="ltr"
            title={path}
          >
            <VisibleText>{path}</VisibleText>
          </span>
          <span className="text-fg-2 text-sm wrap-anywhere">{because}</span>
        </h4>
        {resolution !== null && keys.length > 0 && (
          <Chip tone={open === 0 ? 'ok' : 'needs-you'}>
            {open === 0 ? 'resolved' : whole ? 'open' : `${open} of ${count(keys.length, 'conflict')} open`}
          </Chip>
        )}
        {resolution !== null && keys.length > 1 && (
          <span className="flex gap-1.5">
            {(['ours', 'theirs'] as const).map((side, at) => (
              <Button key={side} variant="quiet" onClick={() => resolution.choose(keys, side)}>
                <span className="max-w-40 truncate">All {sides[at]}</span>
              </Button>
            ))}
          </span>
        )}
      </div>
      {whole && <WholeFile {...{ conflict, sides, resolution, keys }} />}
      {!whole &&
        parts.map((part, at) => {
          if (part.kind === 'conflict') index += 1
          const key = part.kind === 'conflict' ? (keys[index] ?? null) : null
          return (
            <Part
              // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text keep their order
              key={at}
              part={part}
              sides={sides}
              choice={key === null ? null : (resolution?.choices[key] ?? null)}
            >
              {resolution !== null && key !== null && part.kind === 'conflict' && (
                <ConflictChoiceField
                  label={`Conflict ${index + 1} in ${path}`}
                  sides={sides}
                  choice={resolution.choices[key] ?? null}
                  texts={[part.ours.join('\n'), part.theirs.join('\n')]}
                  typed={resolution.typed[key] ?? null}
                  onChoose={(choice) => resolution.choose([key], choice)}
                />
              )}
            </Part>
          )
        })}
    </article>
  )
}

/** A file whose sides can't be mixed: one of them is deleted, not text, or of another kind. */
function WholeFile({
  conflict: { path, ours, theirs },
  sides,
  resolution,
  keys,
}: ConflictFileProps & { readonly keys: readonly string[] }) {
  const [key] = keys
  const names: readonly [string, string] = [
    ours === null ? `Delete (${sides[0]})` : `Keep (${sides[0]})`,
    theirs === null ? `Delete (${sides[1]})` : `Keep (${sides[1]})`,
  ]
  if (key === undefined)
    return (
      <p className="px-3 py-2 text-fg-1 text-sm">Neither side has a file of this name. Nothing to choose.</p>
    )
  return (
    <div className="grid justify-items-start gap-2 px-3 py-2 text-fg-1 text-sm">
      <p>This file has no text to compare{resolution !== null && '. Choose one side as it is'}.</p>
      {resolution !== null && (
        <ConflictChoiceField
          label={`Conflict in ${path}`}
          sides={names}
          choice={resolution.choices[key] ?? null}
          texts={null}
          typed={null}
          onChoose={(choice) => resolution.choose([key], choice)}
        />
      )}
    </div>
  )
}

const CODE = 'font-mono text-[0.78125rem] leading-[1.6] whitespace-pre-wrap wrap-anywhere px-3 py-1'
/** Context lines around each conflict. */
const CONTEXT = 3

interface PartProps {
  readonly part: ConflictPart
  readonly sides: readonly [string, string]
  readonly choice: ResolutionChoice | null
  /** The choice between the sides. */
  readonly children: React.ReactNode
}

function Part({ part, sides, choice, children }: PartProps) {
  if (part.kind === 'same') {
    const { lines } = part
    if (lines.length <= CONTEXT * 2 + 1) return <Lines lines={lines} />
    return (
      <>
        <Lines lines={lines.slice(0, CONTEXT)} />
        <p className="bg-bg-2 px-3 py-0.5 text-fg-2 text-sm">
          {count(lines.length - CONTEXT * 2, 'line')} without a conflict
        </p>
        <Lines lines={lines.slice(-CONTEXT)} />
      </>
    )
  }
  return (
    <div className="border-needs-you/50 border-y">
      <div className="grid grid-cols-2">
        <Side name={sides[0]} lines={part.ours} taken={choice === 'ours' || choice === 'both'} />
        <Side name={sides[1]} lines={part.theirs} taken={choice === 'theirs' || choice === 'both'} />
      </div>
      {children}
    </div>
  )
}

interface SideProps {
  readonly name: string
  readonly lines: readonly string[]
  /** Whether the user has chosen this side. */
  readonly taken: boolean
}

function Side({ name, lines, taken }: SideProps) {
  return (
    <div
      className={classNames('min-w-0 border-line not-first:border-l', taken ? 'bg-ok/13' : 'bg-needs-you/8')}
    >
      <p className="truncate px-3 pt-1 font-medium text-fg-1 text-xs">{name}</p>
      {lines.length === 0 ? (
        <p className="px-3 pb-1 text-fg-2 text-sm">These lines were deleted.</p>
      ) : (
        <Lines lines={lines} />
      )}
    </div>
  )
}

function Lines({ lines }: { readonly lines: readonly string[] }) {
  return (
    <pre dir="ltr" data-selectable="" className={`${CODE} text-fg-0`}>
      <VisibleText>{lines.join('\n')}</VisibleText>
    </pre>
  )
}

/** The choice for one conflict: a side, both, or an edited text. */
interface ConflictChoiceFieldProps {
  readonly label: string
  readonly sides: readonly [string, string]
  readonly choice: ResolutionChoice | null
  /** The texts of both sides. Null: the sides can't be mixed. */
  readonly texts: readonly [string, string] | null
  /** What was typed for this conflict before another side was chosen; null: nothing. */
  readonly typed: string | null
  readonly onChoose: (choice: ResolutionChoice) => void
}

function ConflictChoiceField({ label, sides, choice, texts, typed, onChoose }: ConflictChoiceFieldProps) {
  const id = useId()
  const edited = choice !== null && typeof choice !== 'string' ? choice.text : null
  const choose = (value: 'ours' | 'theirs' | 'both' | 'edit') =>
    onChoose(
      value === 'edit'
        ? { text: edited ?? typed ?? startText(choice, texts), isTyped: (edited ?? typed) !== null }
        : value,
    )
  const marked = edited !== null && hasMarkerLine(edited)
  const field = useRef<HTMLTextAreaElement>(null)
  const isEdited = edited !== null
  const wasEdited = useRef(isEdited)
  // What is typed next belongs into the text: on the buttons, letters are commands.
  useEffect(() => {
    if (isEdited && !wasEdited.current) field.current?.focus()
    wasEdited.current = isEdited
  }, [isEdited])
  return (
    <div data-conflict="" className="grid w-full justify-items-start gap-2 bg-bg-1 px-3 py-1.5">
      <Segmented
        label={label}
        value={edited !== null ? 'edit' : typeof choice === 'string' ? choice : ''}
        options={[
          { value: 'ours', label: sides[0] },
          { value: 'theirs', label: sides[1] },
          ...(texts === null
            ? []
            : [
                { value: 'both' as const, label: 'Both' },
                { value: 'edit' as const, label: 'Edit' },
              ]),
        ]}
        onChange={(value) => value !== '' && choose(value)}
        className="max-w-full flex-wrap"
      />
      {edited !== null && (
        <textarea
          ref={field}
          aria-label={`Text for ${label.charAt(0).toLowerCase()}${label.slice(1)}`}
          aria-invalid={marked}
          aria-describedby={marked ? id : undefined}
          dir="ltr"
          spellCheck={false}
          rows={Math.min(16, Math.max(3, edited.split('\n').length))}
          value={edited}
          onChange={(event) => onChoose({ text: event.target.value, isTyped: true })}
          className={`${INPUT_CLASS} w-full resize-y py-1.5 font-mono text-xs`}
        />
      )}
      {marked && (
        <p id={id} role="alert" className="text-bad text-sm">
          Conflict markers are left. Remove the lines that begin with {'<<<<<<<'} or {'>>>>>>>'}.
        </p>
      )}
    </div>
  )
}

/** The text that editing begins with: the chosen side, or both. */
function startText(choice: ResolutionChoice | null, texts: readonly [string, string] | null): string {
  if (texts === null) return ''
  const [ours, theirs] = texts
  if (choice === 'ours') return ours
  if (choice === 'theirs') return theirs
  return [ours, theirs].filter((text) => text !== '').join('\n')
}
