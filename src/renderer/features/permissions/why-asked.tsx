/** Why a request is asked: one line, and the rest on request. */
import type { ReactNode } from 'react'
import { VisibleText } from '../../ui/text/visible-text.tsx'

interface WhyAskedProps {
  readonly because: string
  /** The agent's permission mode in words; null: unknown. */
  readonly mode: string | null
  readonly folder: string
  /** Whether "Always allow" is offered. */
  readonly hasOffers: boolean
  readonly isOpen: boolean
  readonly onToggle: (isOpen: boolean) => void
  /** Follows the first line. */
  readonly children?: ReactNode
}

export function WhyAsked({ because, mode, folder, hasOffers, isOpen, onToggle, children }: WhyAskedProps) {
  const [first = '', ...others] = because.split('\n')
  return (
    <div className="shrink-0 text-fg-2">
      <p>
        <VisibleText>{first}</VisibleText>
        {children}{' '}
        <button
          type="button"
          aria-expanded={isOpen}
          className="rounded-xs text-fg-1 underline decoration-line-strong underline-offset-2 hover:text-fg-0"
          onClick={() => onToggle(!isOpen)}
        >
          {isOpen ? 'Less' : 'Why'}
        </button>
      </p>
      {isOpen && (
        <ul
          aria-label="Why it is asked"
          className="mt-1 flex flex-col gap-0.5 border-line-strong border-l-2 pl-2 text-xs wrap-anywhere"
        >
          {others.map((line) => (
            <li key={line}>
              <VisibleText>{line}</VisibleText>
            </li>
          ))}
          {mode !== null && <li>Permission mode: {mode}.</li>}
          <li>
            Folder: <VisibleText>{folder}</VisibleText>
          </li>
          <li>
            {hasOffers
              ? 'Rules are checked first: deny, then ask, then allow. None of them decides about this.'
              : 'No rule can allow this, so Troupe asks each time. A rule that asks can be changed in Settings, Permissions.'}
          </li>
        </ul>
      )}
    </div>
  )
}
