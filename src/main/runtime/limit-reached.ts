/** Why an agent may make no further request. */
/** A limit that ends an agent, or keeps it from starting. */
export interface LimitReached {
  readonly kind: 'turns' | 'tokens' | 'money' | 'time'
  readonly of: 'agent' | 'parent' | 'conversation'
  /** "the conversation's limit of $20"; the whole reason if `isRefusal`. */
  readonly description: string
  /** Whether even a last request for a report is refused. */
  readonly isRefusal: boolean
}
