/** What a server that waits for approval would run, compared with the definition that was approved. */
import { Globe, KeyRound, type LucideIcon, Package, Terminal } from 'lucide-react'
import { useMemo, useRef } from 'react'
import type { McpServerState } from '../../../shared/mcp/mcp.ts'
import { actOnServer, useMcp } from '../../stores/mcp-store.ts'
import { Button } from '../../ui/button.tsx'
import { DiffView } from '../../ui/diff-view.tsx'
import { VisibleText } from '../../ui/text/visible-text.tsx'
import { type DefinitionFact, definitionFacts, definitionPatch, definitionText } from './definition-facts.ts'
import { placeOf } from './server-text.ts'

const ICONS: Readonly<Record<DefinitionFact['kind'], LucideIcon>> = {
  version: Package,
  variable: KeyRound,
  program: Terminal,
  address: Globe,
}

interface ApprovalCardProps {
  readonly server: McpServerState
  /** The approved definition; null: the server is new. */
  readonly former: unknown
}

export function ApprovalCard({ server, former }: ApprovalCardProps) {
  const { name, definition } = server
  const busy = useMcp((state) => state.busy.has(name))
  const card = useRef<HTMLElement>(null)
  const facts = useMemo(() => definitionFacts(definition), [definition])
  const isNew = former === null
  const act = (action: 'approve' | 'refuse') => {
    // The buttons go away with the card.
    card.current?.closest<HTMLElement>('main')?.focus()
    void actOnServer(action, name)
  }
  return (
    <section
      ref={card}
      aria-label={`Approval of ${name}`}
      className="@container grid gap-2.5 rounded-md border border-needs-you/50 bg-needs-you/6 p-3 text-sm"
    >
      <div>
        <h3 className="font-semibold text-fg-0 text-md">
          {isNew ? 'This server is new' : 'Its definition is not the one you approved'}
        </h3>
        <p className="text-fg-1">
          It is defined in <code className="font-mono text-xs">{placeOf(server)}</code>. Nothing of it has run
          {isNew ? '.' : ' since the change.'}
        </p>
      </div>
      <div className="grid gap-3 @[42rem]:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        {isNew ? (
          <section
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
            tabIndex={0}
            data-selectable=""
            aria-label={`Definition of ${name}`}
            className="max-h-72 overflow-auto whitespace-pre rounded-[6px] bg-bg-0 px-2.5 py-2 font-mono text-[0.71875rem] text-fg-1 leading-[1.55]"
          >
            <VisibleText>{definitionText(name, definition)}</VisibleText>
          </section>
        ) : (
          <div className="max-h-72 min-h-0 overflow-auto">
            <DiffView
              patch={definitionPatch(name, former, definition)}
              label={`Changes of the definition of ${name}`}
            />
          </div>
        )}
        <ul className="grid content-start gap-1.5">
          {facts.map(({ kind, title, text }) => {
            const Icon = ICONS[kind]
            return (
              <li key={title} className="flex gap-2 text-fg-1">
                <Icon size={14} strokeWidth={1.75} aria-hidden="true" className="mt-0.5 shrink-0 text-fg-2" />
                <span className="min-w-0 wrap-anywhere">
                  <strong className="font-semibold text-fg-0">
                    <VisibleText>{title}</VisibleText>
                  </strong>{' '}
                  <VisibleText>{text}</VisibleText>
                </span>
              </li>
            )
          })}
        </ul>
      </div>
      <div className="flex flex-wrap gap-1.5">
        <Button disabled={busy} focusableWhenDisabled onClick={() => act('approve')}>
          Approve and start
        </Button>
        <Button disabled={busy} focusableWhenDisabled onClick={() => act('refuse')}>
          Keep off
        </Button>
      </div>
    </section>
  )
}
