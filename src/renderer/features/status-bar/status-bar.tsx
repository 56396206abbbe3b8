/** The line at the bottom: what the window is connected to, what was used, who waits for the person. */
import type { AccessInfo } from '../../../shared/ipc-contract.ts'
import { useConversation, useNeeds, useTotals } from '../../stores/conversation-store.ts'
import { usePlaceWords } from '../../stores/place-words.ts'
import { setPlace, useSession } from '../../stores/session-store.ts'
import { classNames } from '../../ui/class-names.ts'
import { count, formatTokens } from '../../ui/format.ts'
import { RepositoryWords, WaitingWorktrees } from './review-words.tsx'
import { Spending } from './spending.tsx'
import { StatusLine } from './status-line.tsx'

interface StatusBarProps {
  /** Shows the questions that wait. */
  readonly onShowPrompts: () => void
}

export function StatusBar({ onShowPrompts }: StatusBarProps) {
  const needs = useNeeds()
  const isTryOut = useSession((state) => state.scratch !== null)
  const place = useSession((state) => state.place)
  const { first, last } = usePlaceWords()
  return (
    <footer className="flex items-center gap-4 overflow-hidden whitespace-nowrap border-line border-t bg-bg-1 px-3 font-medium font-mono text-fg-2 text-xs">
      {first !== null && <span>{first}</span>}
      {place === 'review' && <RepositoryWords />}
      <Connection />
      <Tokens />
      <Spending />
      {place !== 'review' && <WaitingWorktrees />}
      <StatusLine />
      <span className="flex-1" />
      {/* What is being tried out asks beside the editor, in sight. */}
      {needs.length > 0 && !isTryOut && (
        <button
          type="button"
          onClick={onShowPrompts}
          className="text-needs-you hover:underline focus-visible:-outline-offset-2"
        >
          {count(needs.length, 'permission')} waiting
        </button>
      )}
      {last !== null && <span className="min-w-0 truncate">{last}</span>}
    </footer>
  )
}

function Connection() {
  const access = useSession((state) => state.access)
  const retry = useConversation(
    (state) => [...state.agents.values()].find((agent) => agent.retry !== null)?.retry?.failure.message,
  )
  const rehearsed = useConversation((state) => state.record?.rehearsal === true)
  const rehearsal = rehearsed || access.kind === 'rehearsal'
  const words =
    retry !== undefined
      ? `trying again: ${retry}`
      : rehearsal
        ? 'rehearsal: a script, not a model'
        : connectionWords(access)
  return (
    <button
      type="button"
      onClick={() => setPlace('settings')}
      title="Open the settings for model access"
      className="flex min-w-0 items-center gap-1.5 truncate hover:text-fg-0 focus-visible:-outline-offset-2"
    >
      <span
        aria-hidden="true"
        className={classNames(
          'size-1.5 shrink-0 rounded-full',
          retry !== undefined
            ? 'bg-bad'
            : rehearsal || access.kind === 'none'
              ? 'border border-fg-2'
              : 'bg-ok',
        )}
      />
      <span className="truncate">{words}</span>
    </button>
  )
}

function connectionWords(access: AccessInfo): string {
  switch (access.kind) {
    case 'api':
      return access.baseUrl === '' ? 'Anthropic API' : hostOf(access.baseUrl)
    case 'rehearsal':
      return 'rehearsal: a script, not a model'
    case 'none':
      return 'no model access'
  }
}

function Tokens() {
  const { tokens, cachedShare } = useTotals()
  if (tokens === 0) return null
  return (
    <span>
      {formatTokens(tokens)} tokens{cachedShare !== null && ` · cache ${Math.round(cachedShare * 100)}%`}
    </span>
  )
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}
