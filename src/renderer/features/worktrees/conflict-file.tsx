/** A file in conflict: each conflict in three versions, the user's choice between them, and the result. */
import { useMemo } from 'react'
import type { ReviewConflict } from '../../../shared/worktrees/review.ts'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { count } from '../../ui/text/format.ts'
import { VisibleText } from '../../ui/text/visible-text.tsx'
import { ConflictChoiceField } from './conflict-choice.tsx'
import { type PlacedPart, placedParts, resultLines, type SharedLine, wholeSides } from './conflict-lines.ts'
import {
  CodeLine,
  CodeLines,
  type ConflictColors,
  ConflictPanes,
  useConflictColors,
} from './conflict-panes.tsx'
import { conflictKeys, isChosenWhole, isResolved, type Resolution } from './conflict-resolution.ts'

interface ConflictFileProps {
  readonly conflict: ReviewConflict
  /** Names of the two sides: the target or other worktree first, then this worktree. */
  readonly sides: readonly [string, string]
  /** Null: the conflicts can't be resolved here. */
  readonly resolution: Resolution | null
}

export function ConflictFile({ conflict, sides, resolution }: ConflictFileProps) {
  const { path } = conflict
  const keys = useMemo(() => conflictKeys(conflict), [conflict])
  const colors = useConflictColors(conflict)
  return (
    <article aria-label={path} className="overflow-hidden rounded-md border border-line bg-bg-0">
      <FileHead {...{ conflict, sides, resolution, keys }} />
      {isChosenWhole(conflict) ? (
        <WholeFile {...{ conflict, sides, resolution, keys, colors }} />
      ) : (
        <Parts {...{ conflict, sides, resolution, keys, colors }} />
      )}
    </article>
  )
}

type FileHeadProps = ConflictFileProps & { readonly keys: readonly string[] }

function FileHead({ conflict, sides, resolution, keys }: FileHeadProps) {
  const { path, because } = conflict
  const open = resolution === null ? 0 : keys.filter((key) => !isResolved(resolution.choices[key])).length
  const openText = isChosenWhole(conflict) ? 'open' : `${open} of ${count(keys.length, 'conflict')} open`
  return (
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
        <Chip tone={open === 0 ? 'ok' : 'needs-you'}>{open === 0 ? 'resolved' : openText}</Chip>
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
  )
}

type PartsProps = FileHeadProps & { readonly colors: ConflictColors }

function Parts({ conflict, sides, resolution, keys, colors }: PartsProps) {
  const parts = useMemo(() => placedParts(conflict), [conflict])
  const starts = resultStarts(parts, keys, resolution)
  let index = -1
  return parts.map((part, at) => {
    if (part.kind === 'same')
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text keep their order
      return <SharedLines key={at} lines={part.lines} colors={colors} />
    index += 1
    const key = keys[index] ?? null
    const choice = key === null ? null : (resolution?.choices[key] ?? null)
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: as above
      <div key={at} className="border-needs-you/50 border-y">
        <ConflictPanes versions={part} sides={sides} colors={colors} choice={choice} />
        {resolution !== null && key !== null && (
          <ConflictChoiceField
            label={`Conflict ${index + 1} in ${conflict.path}`}
            sides={sides}
            choice={choice}
            versions={part}
            colors={colors}
            typed={resolution.typed[key] ?? null}
            start={starts[at] ?? null}
            onChoose={(next) => resolution.choose([key], next)}
          />
        )}
      </div>
    )
  })
}

/** The number in the result of each part's first line; null: a conflict above is open. */
function resultStarts(
  parts: readonly PlacedPart[],
  keys: readonly string[],
  resolution: Resolution | null,
): readonly (number | null)[] {
  let next: number | null = 1
  let index = -1
  return parts.map((part) => {
    const start = next
    if (part.kind === 'same') next = next === null ? null : next + part.lines.length
    else {
      index += 1
      const choice = resolution?.choices[keys[index] ?? '']
      next =
        next === null || choice === undefined || !isResolved(choice)
          ? null
          : next + resultLines(part, choice).length
    }
    return start
  })
}

/** Context lines around each conflict. */
const CONTEXT = 3

/** Lines without a conflict: those near conflicts, and the number of the others. */
function SharedLines({
  lines,
  colors,
}: {
  readonly lines: readonly SharedLine[]
  readonly colors: ConflictColors
}) {
  const draw = (shown: readonly SharedLine[]) => (
    <CodeLines>
      {shown.map(({ text, ours, theirs }) => (
        <CodeLine
          key={`${ours} ${theirs}`}
          numbers={[ours, theirs]}
          text={text}
          tokens={
            ours === null ? (theirs === null ? undefined : colors.theirs[theirs - 1]) : colors.ours[ours - 1]
          }
          style="context"
        />
      ))}
    </CodeLines>
  )
  if (lines.length <= CONTEXT * 2 + 1) return draw(lines)
  return (
    <>
      {draw(lines.slice(0, CONTEXT))}
      <p className="bg-bg-2 px-3 py-0.5 text-fg-2 text-sm">
        {count(lines.length - CONTEXT * 2, 'line')} without a conflict
      </p>
      {draw(lines.slice(-CONTEXT))}
    </>
  )
}

/** A file whose sides can't be mixed: one of them is deleted, not text, or of another kind. */
function WholeFile({ conflict, sides, resolution, keys, colors }: PartsProps) {
  const { path, ours, theirs } = conflict
  const [key] = keys
  const versions = useMemo(() => wholeSides(conflict), [conflict])
  if (key === undefined)
    return (
      <p className="px-3 py-2 text-fg-1 text-sm">Neither side has a file of this name. Nothing to choose.</p>
    )
  const names: readonly [string, string] = [
    ours === null ? `Delete (${sides[0]})` : `Keep (${sides[0]})`,
    theirs === null ? `Delete (${sides[1]})` : `Keep (${sides[1]})`,
  ]
  const choice = resolution?.choices[key] ?? null
  return (
    <>
      {versions === null ? (
        <p className="px-3 py-2 text-fg-1 text-sm">This file has no text to compare.</p>
      ) : (
        <ConflictPanes
          {...{ versions, sides, colors, choice }}
          none={[
            ours === null ? 'The file was deleted.' : 'The file is empty.',
            theirs === null ? 'The file was deleted.' : 'The file is empty.',
          ]}
        />
      )}
      {resolution !== null && (
        <ConflictChoiceField
          label={`Conflict in ${path}`}
          sides={names}
          choice={choice}
          versions={null}
          colors={colors}
          typed={null}
          start={null}
          onChoose={(next) => resolution.choose([key], next)}
        />
      )}
    </>
  )
}
