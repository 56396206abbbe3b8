/** The selected file: who changed which lines in it, or its content before and after a change. */
import { formatPatch, OMIT_HEADERS, structuredPatch } from 'diff'
import { useEffect, useMemo, useState } from 'react'
import type { ChangedFileText, ChangesList, FileHistory } from '../../../shared/changes/changes.ts'
import { command } from '../../bridge.ts'
import { askUndo } from '../../stores/changes-store.ts'
import { Button } from '../../ui/button.tsx'
import { DiffView } from '../../ui/diff-view.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { count, formatClock, formatSize } from '../../ui/text/format.ts'
import { PathText } from '../../ui/text/visible-text.tsx'
import { type Author, authoredDiff, authorOf, partOf, YOU } from './authored-diff.ts'
import { AuthoredLines } from './authored-lines.tsx'
import { quotedName } from './change-rows-view.tsx'
import type { FileRow } from './changes-rows.ts'

interface ChangedFileProps {
  readonly list: ChangesList
  readonly file: FileRow
}

/** The history of a file that has one; otherwise its content before and after the changes of the row. */
type Content =
  | { readonly kind: 'history'; readonly history: FileHistory }
  | { readonly kind: 'sides'; readonly text: ChangedFileText }
  | { readonly kind: 'failure'; readonly message: string }

/** A longer comparison by lines is given up, in ms. */
const MOST_MS = 2000

export function ChangedFile({ list, file }: ChangedFileProps) {
  const content = useContent(list, file)
  const history = content?.kind === 'history' ? content.history : null
  const [wanted, setWanted] = useState<{ readonly key: string; readonly value: string } | null>(null)
  const options = useMemo(
    () => (history === null ? [] : optionsOf(list, file, history)),
    [list, file, history],
  )
  const chosen = wanted?.key === file.key ? wanted.value : file.isCommand ? ROW : ALL
  const filter = options.some(({ value }) => value === chosen) ? chosen : ALL
  return (
    <div className="flex min-h-0 min-w-0 flex-col">
      <div className="flex h-9 shrink-0 items-center gap-2 border-line border-b px-3 text-sm">
        <h3 className="min-w-[8ch] font-mono text-fg-0 text-xs" title={file.shown}>
          <PathText path={file.shown} />
        </h3>
        <span className="min-w-0 flex-1 truncate text-fg-2">{aboutFile(list, file)}</span>
        {options.length > 2 && (
          <Segmented
            label="Shown changes"
            value={filter}
            options={options}
            onChange={(value) => setWanted({ key: file.key, value })}
            className="max-w-[55%] overflow-x-auto"
          />
        )}
        <Button
          variant="quiet"
          className="-mr-2"
          disabled={file.undone || file.cannot !== null}
          onClick={() => askFile(file)}
        >
          Undo this file…
        </Button>
      </div>
      {content === null ? (
        <div className="p-3">
          <Spinner />
        </div>
      ) : (
        <Shown {...{ list, file, content, filter }} />
      )}
    </div>
  )
}

/** Shows what an undo of the agent's changes of the file would do. */
export function askFile({ agent, path, shown }: FileRow): void {
  askUndo({
    kind: 'undo',
    scope: { kind: 'file', path, agentId: agent.agentId },
    title: `Undo what ${quotedName(agent)} changed in ${shown}`,
  })
}

function aboutFile({ calls }: ChangesList, file: FileRow): string {
  if (file.undone) return 'undone'
  if (file.cannot !== null) return 'can’t be undone'
  const last = calls.findLast(
    ({ agentId, toolUseId }) => agentId === file.agent.agentId && file.toolUseIds.includes(toolUseId),
  )
  const verb = { A: 'new', M: '', D: 'deleted', R: 'renamed' }[file.letter]
  const by = last === undefined ? file.agent.name : `${file.agent.name}, ${formatClock(last.at)}`
  return verb === '' ? by : `${verb} · ${by}`
}

/** Reads the file again after each change of the list. */
function useContent(list: ChangesList, file: FileRow): Content | null {
  const { conversationId } = list
  const { path, undone, toolUseIds, isCommand } = file
  const { agentId } = file.agent
  const toolUseId = isCommand ? (toolUseIds[0] ?? null) : null
  const key = JSON.stringify([conversationId, path, agentId, toolUseId, undone])
  const [loaded, setLoaded] = useState<{ readonly key: string; readonly content: Content } | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new list is read again
  useEffect(() => {
    let isCurrent = true
    const read = async (): Promise<Content> => {
      if (!undone) {
        const answer = await command('changes.history', { conversationId, path })
        if (answer.ok && answer.value !== null) return { kind: 'history', history: answer.value }
      }
      const sides = await command('changes.file', { conversationId, path, agentId, toolUseId })
      return sides.ok
        ? { kind: 'sides', text: sides.value }
        : { kind: 'failure', message: sides.failure.message }
    }
    void read().then((content) => {
      if (isCurrent) setLoaded({ key, content })
    })
    return () => {
      isCurrent = false
    }
  }, [key, list])
  return loaded?.key === key ? loaded.content : null
}

const ALL = 'all'
/** Only the calls of the selected row. */
const ROW = 'row'

/** Characters of a name that fit beside the path in a narrow window. */
const MOST_NAME = 16

const shortened = (name: string) =>
  name.length > MOST_NAME ? `${name.slice(0, MOST_NAME - 1).trimEnd()}…` : name

/** All, the command, each author of a line. */
function optionsOf(list: ChangesList, file: FileRow, { steps }: FileHistory) {
  const authors = [...new Set(steps.map(authorOf))]
  const others = authors.map((author) => ({ value: `by ${author}`, label: shortened(nameOf(list, author)) }))
  const all = [{ value: ALL, label: 'All' }]
  const hasMore = steps.some(({ toolUseId }) => toolUseId === null || !file.toolUseIds.includes(toolUseId))
  if (file.isCommand && hasMore) all.push({ value: ROW, label: 'Command' })
  return [...all, ...others]
}

interface ShownProps extends ChangedFileProps {
  readonly content: Content
  readonly filter: string
}

function Shown({ list, file, content, filter }: ShownProps) {
  const label = `Changes of ${file.shown}`
  const diff = useMemo(() => {
    if (content.kind !== 'history') return null
    const { toolUseIds } = file
    const { history } = content
    const part =
      filter === ROW
        ? partOf(history, ({ toolUseId }) => toolUseId !== null && toolUseIds.includes(toolUseId))
        : history
    return authoredDiff(part ?? history, filter.startsWith('by ') ? filter.slice(3) : null)
  }, [content, file, filter])
  if (content.kind === 'failure')
    return (
      <p role="alert" className="p-3 text-bad text-sm">
        {content.message}
      </p>
    )
  if (content.kind === 'sides') return <Sides text={content.text} label={label} />
  if (diff === null) return <Note>The changes are too large to show.</Note>
  if (diff.lines.length === 0) return <Note>The content is the same before and after.</Note>
  const mine = diff.lines.filter(({ author, kind }) => author === YOU && kind !== 'context')
  return (
    <>
      {mine.length > 0 && (
        <p className="flex shrink-0 items-center gap-2 border-line border-b bg-needs-you/8 px-3 py-1 text-fg-0 text-sm">
          <span aria-hidden="true" className="size-2 shrink-0 rotate-45 rounded-[1px] bg-needs-you" />
          <span className="min-w-0 flex-1">
            You changed {count(mine.length, 'line')} here. An undo leaves your changes.
          </span>
          {diff.overlaps > 0 && <span className="text-fg-1 text-xs">{count(diff.overlaps, 'overlap')}</span>}
        </p>
      )}
      <AuthoredLines
        key={`${file.path} ${filter}`}
        lines={diff.lines}
        label={label}
        authorOf={(author) => ({
          name: nameOf(list, author),
          color: author === YOU ? null : (list.agents.find(({ agentId }) => agentId === author)?.color ?? ''),
        })}
      />
    </>
  )
}

function nameOf({ agents }: ChangesList, author: Author): string {
  return author === YOU ? 'You' : (agents.find(({ agentId }) => agentId === author)?.name ?? author)
}

function Sides({ text, label }: { readonly text: ChangedFileText; readonly label: string }) {
  const patch = useMemo(
    () => (text.kind === 'text' ? patchOf(text.before ?? '', text.after ?? '') : null),
    [text],
  )
  if (text.kind === 'unavailable') return <Note>{text.reason}</Note>
  if (text.kind === 'binary')
    return (
      <Note>
        Not text. {sizeOf(text.bytesBefore)} before, {sizeOf(text.bytesAfter)} after.
      </Note>
    )
  if (patch === null) return <Note>The changes are too large to show.</Note>
  if (patch === '') return <Note>The content is the same before and after.</Note>
  return <DiffView patch={patch} label={label} shownLines={600} />
}

function Note({ children }: { readonly children: React.ReactNode }) {
  return <p className="p-3 text-fg-2 text-sm">{children}</p>
}

function sizeOf(bytes: number | null): string {
  return bytes === null ? 'No file' : formatSize(bytes)
}

/** The hunks; empty: equal texts; null: the comparison takes too long. */
function patchOf(before: string, after: string): string | null {
  const found = structuredPatch('', '', before, after, '', '', { context: 3, timeout: MOST_MS })
  if (found === undefined) return null
  return found.hunks.length === 0 ? '' : formatPatch(found, OMIT_HEADERS)
}
