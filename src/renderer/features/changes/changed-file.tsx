/** The selected file: what one agent changed in it. */
import { formatPatch, OMIT_HEADERS, structuredPatch } from 'diff'
import { useEffect, useMemo, useState } from 'react'
import type { ChangedFileText } from '../../../shared/changes.ts'
import { command } from '../../bridge.ts'
import { DiffView } from '../../ui/diff-view.tsx'
import { formatSize } from '../../ui/format.ts'
import { Spinner } from '../../ui/spinner.tsx'

interface ChangedFileProps {
  readonly conversationId: string
  readonly path: string
  readonly shown: string
  readonly agentId: string
  /** The command whose changes are shown; null: all changes of the agent. */
  readonly toolUseId: string | null
  /** Changes when the file is to be read again. */
  readonly version: unknown
}

type Loaded = { readonly key: string } & ({ readonly text: ChangedFileText } | { readonly failure: string })

/** More edits, or a longer search, are not compared by lines. */
const MOST_MS = 2000

export function ChangedFile({ conversationId, path, shown, agentId, toolUseId, version }: ChangedFileProps) {
  const key = JSON.stringify([conversationId, path, agentId, toolUseId])
  const [loaded, setLoaded] = useState<Loaded | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version is read again
  useEffect(() => {
    let isCurrent = true
    void command('changes.file', { conversationId, path, agentId, toolUseId }).then((answer) => {
      if (!isCurrent) return
      setLoaded(answer.ok ? { key, text: answer.value } : { key, failure: answer.failure.message })
    })
    return () => {
      isCurrent = false
    }
  }, [key, version])
  if (loaded === null || loaded.key !== key)
    return (
      <div className="p-3">
        <Spinner />
      </div>
    )
  if ('failure' in loaded)
    return (
      <p role="alert" className="p-3 text-bad text-sm">
        {loaded.failure}
      </p>
    )
  return <Text text={loaded.text} label={`Changes of ${shown}`} />
}

function Text({ text, label }: { readonly text: ChangedFileText; readonly label: string }) {
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
