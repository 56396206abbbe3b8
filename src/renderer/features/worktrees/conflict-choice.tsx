/** The choice for one conflict, and the lines that it leaves: of one version, of both sides, or as the user writes them. */
import { type KeyboardEvent, useEffect, useId, useRef } from 'react'
import type { HighlightedLine } from '../../ui/code/code-tokens.ts'
import { Segmented } from '../../ui/segmented.tsx'
import { INPUT_CLASS } from '../../ui/text-field.tsx'
import { resultLines, type SidesOfConflict } from './conflict-lines.ts'
import { CodeLine, CodeLines, type ConflictColors, PaneTitle } from './conflict-panes.tsx'
import { hasMarkerLine, type ResolutionChoice, SIDE_CHOICES, type SideChoice } from './conflict-resolution.ts'

interface ConflictChoiceFieldProps {
  readonly label: string
  readonly sides: readonly [string, string]
  readonly choice: ResolutionChoice | null
  /** Null: the sides can't be mixed. */
  readonly versions: SidesOfConflict | null
  readonly colors: ConflictColors
  /** What was typed for this conflict before another side was chosen; null: nothing. */
  readonly typed: string | null
  /** The number of the result's first line in the merged file; null: unknown, because a conflict above is open. */
  readonly start: number | null
  readonly onChoose: (choice: ResolutionChoice) => void
}

/** The keys 1 to 4 choose a version, and E begins to edit, while the focus is on the choice. */
export function ConflictChoiceField(props: ConflictChoiceFieldProps) {
  const { label, sides, choice, versions, typed, onChoose } = props
  const edited = choice !== null && typeof choice !== 'string' ? choice.text : null
  const options = optionsOf(sides, versions)
  const field = useRef<HTMLDivElement>(null)
  const value = edited !== null ? 'edit' : typeof choice === 'string' ? choice : ''
  // A key may choose another version than the one with the focus.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when another version is chosen
  useEffect(() => {
    const group = field.current?.querySelector('[role="radiogroup"]')
    if (group?.contains(document.activeElement)) focusChosen(field.current)
  }, [value])
  const choose = (wanted: SideChoice | 'edit') =>
    onChoose(
      wanted === 'edit'
        ? { text: edited ?? typed ?? startText(choice, versions), isTyped: (edited ?? typed) !== null }
        : wanted,
    )
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if ((event.target as HTMLElement).closest('textarea') !== null) {
      if (event.key !== 'Escape' || event.nativeEvent.isComposing) return
      event.preventDefault()
      focusChosen(event.currentTarget)
      return
    }
    const wanted = event.key === 'e' ? 'edit' : SIDE_CHOICES[Number(event.key) - 1]
    if (wanted === undefined || !options.some(({ value }) => value === wanted)) return
    event.preventDefault()
    choose(wanted)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the choice and the text within
    <div ref={field} data-conflict="" onKeyDown={onKeyDown} className="grid w-full border-line border-t">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 bg-bg-1 px-3 py-1.5">
        <Segmented
          label={label}
          value={value}
          options={options}
          onChange={(next) => next !== '' && choose(next)}
          className="max-w-full flex-wrap"
        />
        <span aria-hidden="true" className="text-fg-2 text-xs">
          Keys: {versions === null ? '1 2' : `1 to ${versions.base === null ? 3 : 4}, E edits`}
        </span>
      </div>
      {versions !== null && <Result {...props} edited={edited} versions={versions} />}
    </div>
  )
}

const focusChosen = (field: HTMLElement | null) =>
  field?.querySelector<HTMLElement>('[role="radio"][aria-checked="true"]')?.focus({ preventScroll: true })

/** Characters of a name in a choice. The panes above have all of it. */
const LONGEST_NAME = 36
const short = (name: string) => (name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name)

function optionsOf(sides: readonly [string, string], versions: SidesOfConflict | null) {
  const both = { value: 'both' as const, label: 'Both' }
  const base = { value: 'base' as const, label: 'Base' }
  return [
    { value: 'ours' as const, label: short(sides[0]) },
    { value: 'theirs' as const, label: short(sides[1]) },
    ...(versions === null ? [] : [both, ...(versions.base === null ? [] : [base])]),
    ...(versions === null ? [] : [{ value: 'edit' as const, label: 'Edit' }]),
  ]
}

interface ResultProps extends ConflictChoiceFieldProps {
  /** Null: the text is not edited. */
  readonly edited: string | null
  readonly versions: SidesOfConflict
}

function Result({ label, choice, versions, colors, start, edited, onChoose }: ResultProps) {
  const id = useId()
  const marked = edited !== null && hasMarkerLine(edited)
  const field = useRef<HTMLTextAreaElement>(null)
  const isEdited = edited !== null
  const wasEdited = useRef(isEdited)
  // What is typed next belongs into the text: on the buttons, letters are commands.
  useEffect(() => {
    if (isEdited && !wasEdited.current) field.current?.focus()
    wasEdited.current = isEdited
  }, [isEdited])
  const lines = choice === null ? null : resultLines(versions, choice)
  const tokens = typeof choice === 'string' ? resultTokens(versions, { choice, colors }) : []
  return (
    <section aria-label={`Result of ${lowerFirst(label)}`} className="min-w-0">
      <PaneTitle name="Result" about={choice === null ? 'open' : ''} isTaken={false} />
      {edited !== null && (
        <div className="grid gap-1 px-3 py-1.5">
          <textarea
            ref={field}
            aria-label={`Text for ${lowerFirst(label)}`}
            aria-invalid={marked}
            aria-describedby={marked ? id : undefined}
            dir="ltr"
            spellCheck={false}
            rows={Math.min(16, Math.max(3, edited.split('\n').length))}
            value={edited}
            onChange={(event) => onChoose({ text: event.target.value, isTyped: true })}
            className={`${INPUT_CLASS} w-full resize-y py-1.5 font-mono text-[0.78125rem] leading-[1.6]`}
          />
          {marked && (
            <p id={id} role="alert" className="text-bad text-sm">
              Conflict markers are left. Remove the lines that begin with {'<<<<<<<'} or {'>>>>>>>'}.
            </p>
          )}
        </div>
      )}
      {edited === null && lines === null && (
        <p className="px-3 py-1 text-fg-2 text-sm">Choose a version, or edit the text.</p>
      )}
      {edited === null && lines?.length === 0 && (
        <p className="px-3 py-1 text-fg-2 text-sm">No lines are left here.</p>
      )}
      {edited === null && lines !== null && lines.length > 0 && (
        <ResultLines lines={lines} tokens={tokens} start={start} />
      )}
    </section>
  )
}

/** Lines of the result that are drawn; the versions above have all. */
const MOST_LINES = 300

interface ResultLinesProps extends Pick<ConflictChoiceFieldProps, 'start'> {
  readonly lines: readonly string[]
  readonly tokens: readonly (HighlightedLine | undefined)[]
}

function ResultLines({ lines, tokens, start }: ResultLinesProps) {
  return (
    <CodeLines>
      {lines.slice(0, MOST_LINES).map((text, index) => (
        <CodeLine
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines keep their order
          key={index}
          numbers={[start === null ? null : start + index, null]}
          text={text}
          tokens={tokens[index]}
          style="context"
        />
      ))}
      {lines.length > MOST_LINES && (
        <p className="px-3 py-0.5 font-sans text-fg-2 text-sm">{lines.length - MOST_LINES} more lines</p>
      )}
    </CodeLines>
  )
}

/** The colors that the lines of a choice have in their versions. */
function resultTokens(
  versions: SidesOfConflict,
  { choice, colors }: { readonly choice: SideChoice; readonly colors: ConflictColors },
): readonly (HighlightedLine | undefined)[] {
  const chosen = choice === 'both' ? (['ours', 'theirs'] as const) : [choice]
  return chosen.flatMap((version) =>
    (versions[version] ?? []).map(({ number }) =>
      number === null ? undefined : colors[version][number - 1],
    ),
  )
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)

/** The text that editing begins with: the chosen version, or both sides. */
function startText(choice: ResolutionChoice | null, versions: SidesOfConflict | null): string {
  if (versions === null) return ''
  return resultLines(versions, typeof choice === 'string' ? choice : 'both').join('\n')
}
