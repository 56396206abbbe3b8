/** Shows the error of one part of the window, with ways to recover. The other parts keep working. */
import { Component, type ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { copyText } from '../ui/copy-text.ts'

interface ErrorBoundaryProps {
  /** The broken part, inside a sentence: "the stage". */
  readonly part: string
  /** A new value renders the children again. */
  readonly resetKey?: string | null
  readonly children: ReactNode
}

interface ErrorBoundaryState {
  readonly error: Error | null
  readonly resetKey: string | null
}

export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { error: null, resetKey: this.props.resetKey ?? null }

  static getDerivedStateFromError(error: unknown): Partial<ErrorBoundaryState> {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }

  static getDerivedStateFromProps(
    { resetKey = null }: ErrorBoundaryProps,
    state: ErrorBoundaryState,
  ): Partial<ErrorBoundaryState> | null {
    return resetKey === state.resetKey ? null : { error: null, resetKey }
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === null) return this.props.children
    return (
      <div role="alert" className="m-auto flex max-w-md flex-col gap-2 p-6">
        <p className="font-semibold text-fg-0 text-lg">Something broke in {this.props.part}</p>
        <p className="text-fg-1 text-md">
          This is a bug in Troupe. Your work is safe: agents keep running, and their transcripts are saved.
        </p>
        <pre
          data-selectable=""
          className="max-h-40 overflow-auto rounded-md border border-line bg-bg-2 p-2.5 font-mono text-fg-1 text-xs"
        >
          {error.message}
        </pre>
        <div className="flex gap-2 pt-1">
          <Button variant="primary" size="md" onClick={() => this.setState({ error: null })}>
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
}
