/** The versions of one conflict: the lines before both changes, and below them both sides next to each other. */
import { Check } from 'lucide-react'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import type { ReviewConflict } from '../../../shared/worktrees/review.ts'
import { Button } from '../../ui/button.tsx'
import codeStyles from '../../ui/code/code-colors.module.css'
import type { HighlightedLine } from '../../ui/code/code-tokens.ts'
import { classNames } from '../../ui/text/class-names.ts'
import { count } from '../../ui/text/format.ts'
import { linesIn, type SideLine, type SidesOfConflict } from './conflict-lines.ts'
import type { ResolutionChoice } from './conflict-resolution.ts'
import { LINE_STYLES, LineText } from './diff/diff-line.tsx'
import { wordChanges } from './diff/diff-lines.ts'
import { useColors } from './diff/use-colors.ts'

/** Highlighted lines of each version, as far as they are done. */
export interface ConflictColors {
  readonly base: readonly (HighlightedLine | undefined)[]
  readonly ours: readonly (HighlightedLine | undefined)[]
  readonly theirs: readonly (HighlightedLine | undefined)[]
}

export function useConflictColors({ path, base, ours, theirs }: ReviewConflict): ConflictColors {
  const [before, left, right] = [base?.text ?? '', ours?.text ?? '', theirs?.text ?? '']
  const sides = useMemo(() => ({ before: linesIn(left), after: linesIn(right) }), [left, right])
  const original = useMemo(() => ({ before: linesIn(before), after: [] }), [before])
  const ofSides = useColors(path, sides)
  const ofBase = useColors(path, original)
  const [showSides, showBase] = [ofSides.setVisible, ofBase.setVisible]
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the texts change
  useEffect(() => {
    const all = (lines: readonly string[]) => ({ from: 0, to: lines.length })
    showSides({ before: all(sides.before), after: all(sides.after) })
    showBase({ before: all(original.before), after: all([]) })
  }, [sides, original])
  return { base: ofBase.colors.before, ours: ofSides.colors.before, theirs: ofSides.colors.after }
}

interface ConflictPanesProps {
  readonly versions: SidesOfConflict
  /** Names of the two sides: the target or other worktree first, then this worktree. */
  readonly sides: readonly [string, string]
  readonly colors: ConflictColors
  readonly choice: ResolutionChoice | null
  /** Replaces the lines of a side that has none. */
  readonly none?: readonly [string, string]
}

export function ConflictPanes({ versions, sides, colors, choice, none }: ConflictPanesProps) {
  const { base, ours, theirs } = versions
  return (
    <>
      {base === null ? (
        <p className="border-line border-b px-3 py-1 text-fg-2 text-sm">Both sides added these lines.</p>
      ) : (
        <Pane
          name="Base"
          about="before both changes"
          lines={base}
          style="removed"
          tokens={colors.base}
          isTaken={choice === 'base'}
          none="No lines were here before."
          className="border-line border-b"
        />
      )}
      <div className="grid grid-cols-2">
        {(['ours', 'theirs'] as const).map((side, at) => (
          <Pane
            key={side}
            name={sides[at] ?? ''}
            about=""
            lines={side === 'ours' ? ours : theirs}
            style="added"
            tokens={colors[side]}
            isTaken={choice === side || choice === 'both'}
            none={none?.[at] ?? 'These lines were deleted.'}
            className={side === 'theirs' ? 'border-line border-l' : ''}
          />
        ))}
      </div>
    </>
  )
}

/** Lines that a pane shows until the user asks for all. */
const MOST_LINES = 300

interface PaneProps {
  readonly name: string
  /** Follows the name. */
  readonly about: string
  readonly lines: readonly SideLine[]
  /** How changed lines look. */
  readonly style: 'added' | 'removed'
  readonly tokens: readonly (HighlightedLine | undefined)[]
  /** Whether the user has chosen this version. */
  readonly isTaken: boolean
  /** Shown without lines. */
  readonly none: string
  readonly className: string
}

function Pane({ name, about, lines, style, tokens, isTaken, none, className }: PaneProps) {
  const [showsAll, setShowsAll] = useState(false)
  const shown = showsAll ? lines : lines.slice(0, MOST_LINES)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend
    <div role="group" aria-label={name} className={classNames('min-w-0', className)}>
      <PaneTitle name={name} about={about} isTaken={isTaken} />
      {lines.length === 0 ? (
        <p className="px-3 py-1 text-fg-2 text-sm">{none}</p>
      ) : (
        <CodeLines>
          {shown.map(({ text, number, changed, partner }, index) => (
            <CodeLine
              // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a version keep their order
              key={index}
              numbers={style === 'removed' ? [number, null] : [number]}
              text={text}
              tokens={number === null ? undefined : tokens[number - 1]}
              style={changed ? style : 'context'}
              partner={partner}
            />
          ))}
        </CodeLines>
      )}
      {shown.length < lines.length && (
        <Button variant="quiet" className="m-1" onClick={() => setShowsAll(true)}>
          Show all {count(lines.length, 'line')}
        </Button>
      )}
    </div>
  )
}

interface PaneTitleProps {
  readonly name: string
  readonly about: string
  readonly isTaken: boolean
}

export function PaneTitle({ name, about, isTaken }: PaneTitleProps) {
  return (
    <p className="flex h-6 items-center gap-1.5 bg-bg-1 px-3 text-xs">
      <span className="truncate font-medium text-fg-1" title={name}>
        {name}
      </span>
      {about !== '' && <span className="shrink-0 text-fg-2">{about}</span>}
      {isTaken && (
        <span className="ml-auto flex shrink-0 items-center gap-1 text-ok">
          <Check size={12} aria-hidden="true" /> chosen
        </span>
      )}
    </p>
  )
}

/** The frame of lines of code. */
export function CodeLines({ children }: { readonly children: ReactNode }) {
  return (
    <div
      data-selectable=""
      className={classNames(codeStyles.colors, 'py-0.5 font-mono text-[0.78125rem] leading-[1.6]')}
    >
      {children}
    </div>
  )
}

interface CodeLineProps {
  /** One column of numbers for each; null: an empty cell. */
  readonly numbers: readonly (number | null)[]
  readonly text: string
  readonly tokens: HighlightedLine | undefined
  readonly style: keyof typeof LINE_STYLES
  /** The other version of a changed line, to mark the words that differ. */
  readonly partner?: string | null
}

export function CodeLine({ numbers, text, tokens, style, partner = null }: CodeLineProps) {
  const { line, sign, signColor, label, mark } = LINE_STYLES[style]
  const marked = useMemo(
    () => (partner === null ? null : (wordChanges(partner, text)?.after ?? null)),
    [partner, text],
  )
  return (
    <div className="flex">
      {numbers.map((number, column) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: the columns keep their order
          key={column}
          className="w-[var(--number-width,5.5ch)] shrink-0 select-none pr-[1ch] text-right text-fg-2"
        >
          {number}
        </span>
      ))}
      <span className={classNames('flex min-w-0 flex-1 pr-2 pl-[1ch]', line)}>
        <span className={classNames('w-[2ch] shrink-0 select-none', signColor)}>
          <span aria-hidden="true">{sign}</span>
          <span className="sr-only">{label}</span>
        </span>
        <span dir="ltr" className="min-w-0 flex-1 whitespace-pre-wrap text-fg-0 wrap-anywhere [tab-size:4]">
          <LineText text={text} tokens={tokens ?? null} marked={marked} markClass={mark} />
        </span>
      </span>
    </div>
  )
}
