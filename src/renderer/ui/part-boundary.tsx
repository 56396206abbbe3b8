/** Limits a render error to one part of the window. */
import { Component, type ReactNode } from 'react'

interface PartBoundaryProps {
  /** Rendered in place of a broken part. `retry` renders the part again. */
  readonly fallback: (error: Error, retry: () => void) => ReactNode
  /** A new value renders the part again. */
  readonly resetKey?: string | null
  readonly children: ReactNode
}

interface PartBoundaryState {
  readonly error: Error | null
  readonly resetKey: string | null
}

export class PartBoundary extends Component<PartBoundaryProps, PartBoundaryState> {
  override state: PartBoundaryState = { error: null, resetKey: this.props.resetKey ?? null }

  static getDerivedStateFromError(error: unknown): Partial<PartBoundaryState> {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }

  static getDerivedStateFromProps(
    { resetKey = null }: PartBoundaryProps,
    state: PartBoundaryState,
  ): Partial<PartBoundaryState> | null {
    return resetKey === state.resetKey ? null : { error: null, resetKey }
  }

  override render(): ReactNode {
    const { error } = this.state
    return error === null
      ? this.props.children
      : this.props.fallback(error, () => this.setState({ error: null }))
  }
}
