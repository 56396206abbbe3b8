/** Shows the error of one part of the window, with ways to recover. The other parts keep working. */
import type { ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { PartBoundary } from '../ui/part-boundary.tsx'
import { copyText } from '../ui/text/copy-text.ts'

interface ErrorBoundaryProps {
  /** The broken part, inside a sentence: "the stage". */
  readonly part: string
  /** A new value renders the children again. */
  readonly resetKey?: string | null
  readonly children: ReactNode
}

export function ErrorBoundary({ part, resetKey = null, children }: ErrorBoundaryProps) {
  return (
    <PartBoundary
      resetKey={resetKey}
      fallback={(error, retry) => <Broken part={part} error={error} onRetry={retry} />}
    >
      {children}
    </PartBoundary>
  )
}

/** The same in one line, for a bar or a small part. */
export function LineBoundary({ part, resetKey = null, children }: ErrorBoundaryProps) {
  return (
    <PartBoundary
      resetKey={resetKey}
      fallback={(_, retry) => (
        <p role="alert" className="flex items-center gap-2 bg-bg-1 px-2.5 py-0.5 text-fg-1 text-sm">
          Something broke in {part}.<Button onClick={retry}>Try again</Button>
        </p>
      )}
    >
      {children}
    </PartBoundary>
  )
}

interface BrokenProps {
  readonly part: string
  readonly error: Error
  readonly onRetry: () => void
}

function Broken({ part, error, onRetry }: BrokenProps) {
  return (
    <div role="alert" className="m-auto flex max-w-md flex-col gap-2 p-6">
      <p className="font-semibold text-fg-0 text-lg">Something broke in {part}</p>
      <p className="text-fg-1 text-md">
        This is a bug in Troupe. Your work is safe: agents keep running, and their transcripts are saved.
      </p>
      <pre
        data-selectable=""
        className="max-h-40 overflow-auto rounded-md border border-line bg-bg-2 p-2.5 font-mono text-fg-1 text-xs"
      >
        {error.message}
      </pre>
      <div className="flex flex-wrap gap-2 pt-1">
        <Button variant="primary" size="md" onClick={onRetry}>
          Try again
        </Button>
        <Button size="md" onClick={() => window.location.reload()}>
          Reload window
        </Button>
        <Button size="md" variant="quiet" onClick={() => void copyText(error.stack ?? error.message)}>
          Copy details
        </Button>
      </div>
    </div>
  )
}
