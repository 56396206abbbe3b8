/** The parts of a card with permission requests: chips, address, waiting time, the reason, the choice to allow always. */
import { Folder, GitBranch } from 'lucide-react'
import { type ReactNode, useId, useMemo } from 'react'
import type { PermissionSubject } from '../../../shared/events/agent-event.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { Chip } from '../../ui/chip.tsx'
import { ConfinementChip } from '../../ui/confinement-mark.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { useNow } from '../../ui/machine.ts'
import { classNames } from '../../ui/text/class-names.ts'
import { formatDuration } from '../../ui/text/format.ts'
import { CommandText, VisibleText } from '../../ui/text/visible-text.tsx'
import { parseUnifiedDiff } from '../../ui/unified-diff.ts'
import { folderName } from './request-shape.ts'

// Facts about a request: where it acts, how much it changes.

interface RequestChipsProps {
  readonly subject: PermissionSubject
  /** The branch of the agent's worktree; null: it works in the folder itself. */
  readonly worktree: string | null
}

export function RequestChips({ subject, worktree }: RequestChipsProps) {
  return (
    <div className="mt-1.5 flex shrink-0 flex-wrap gap-1.5">
      {subject.confinement !== undefined && <ConfinementChip confinement={subject.confinement} />}
      {worktree === null ? (
        <Chip icon={Folder} title={makeVisible(subject.folder)}>
          In the folder itself, no worktree
        </Chip>
      ) : (
        <Chip icon={GitBranch} title={makeVisible(subject.folder)}>
          Worktree {makeVisible(worktree)}
        </Chip>
      )}
      {subject.kind === 'diff' && <Amount patch={subject.text} />}
    </div>
  )
}

function Amount({ patch }: { readonly patch: string }) {
  const lines = useMemo(() => parseUnifiedDiff(patch), [patch])
  const of = (kind: 'added' | 'removed') => lines.filter((line) => line.kind === kind).length
  return (
    <Chip mono>
      <span className="text-ok">+{of('added')}</span> <span className="text-bad">−{of('removed')}</span>
    </Chip>
  )
}

/** How long a request waits: "2:10". */
export function WaitingTime({ since }: { readonly since: number }) {
  const now = useNow(true)
  return (
    <span title="Waiting" className="shrink-0 font-mono text-fg-2 text-xs tabular-nums">
      {formatDuration(now - since)}
    </span>
  )
}

/** Why a request is asked: one line, and the rest on request. */
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

/** An address whose host stands out: the part that decides who gets the request. */
export function AddressText({ children }: { readonly children: string }) {
  const { before, host, after, real } = addressParts(children)
  if (host === '') return <VisibleText>{children}</VisibleText>
  return (
    <>
      <span className="text-fg-2">
        <VisibleText>{before}</VisibleText>
      </span>
      <b data-host="" className="font-semibold text-fg-0">
        <VisibleText>{host}</VisibleText>
      </b>
      <span className="text-fg-1">
        <VisibleText>{after}</VisibleText>
      </span>
      {real !== null && <span className="block text-needs-you">This host is {real}.</span>}
    </>
  )
}

interface AddressParts {
  readonly before: string
  /** Empty if the text is no web address. */
  readonly host: string
  readonly after: string
  /** The host as it is looked up, if it is written in another way; otherwise null. */
  readonly real: string | null
}

/** A user name before "@" belongs to the front part: `https://google.com@evil.example/` goes to evil.example. */
export function addressParts(text: string): AddressParts {
  const [, scheme = '', authority = '', after = ''] = /^(https?:\/\/)([^/?#\\\s]*)(.*)$/is.exec(text) ?? []
  const at = authority.lastIndexOf('@') + 1
  const host = authority.slice(at)
  if (host === '' || !URL.canParse(text)) return { before: text, host: '', after: '', real: null }
  const real = new URL(text).host
  const written = host.toLowerCase().replace(/:(?:80|443)$/, '')
  return {
    before: scheme + authority.slice(0, at),
    host,
    after,
    real: real.replace(/:(?:80|443)$/, '') === written ? null : real,
  }
}

/** The rules that "Always allow" can add, the exact one first, each with what else it covers. */
interface AlwaysOption {
  /** The rule, or several: "Exactly these 8 rules". */
  readonly texts: readonly string[]
  readonly alsoCovers: string | null
}

interface AlwaysChoiceProps {
  readonly options: readonly AlwaysOption[]
  readonly chosen: number
  readonly onChoose: (index: number) => void
}

export function AlwaysChoice({ options, chosen, onChoose }: AlwaysChoiceProps) {
  const folder = useConversation((state) => state.record?.folder ?? null)
  const name = useId()
  return (
    <div role="radiogroup" aria-labelledby={`${name}-title`} className="mt-2 min-w-0 shrink-0">
      <p id={`${name}-title`} className="mb-1 text-fg-2 text-xs">
        Always, from now on{folder === null ? '' : ` in ${folderName(folder)}`}
      </p>
      <div className="overflow-hidden rounded-[6px] border border-line">
        {options.map(({ texts, alsoCovers }, index) => (
          <label
            key={texts.join('\n')}
            className={classNames(
              'grid cursor-pointer grid-cols-[14px_minmax(0,1fr)_auto] items-baseline gap-x-2.5 px-2.5 py-1 text-sm has-focus-visible:outline-1 has-focus-visible:-outline-offset-1 has-focus-visible:outline-accent',
              index > 0 && 'border-line border-t',
              index === chosen ? 'bg-bg-2' : 'hover:bg-bg-2',
            )}
          >
            <input
              type="radio"
              name={name}
              checked={index === chosen}
              onChange={() => onChoose(index)}
              className="translate-y-0.5 accent-fg-1 outline-none"
            />
            <span className="min-w-0">
              <code
                className="font-mono text-fg-0 text-xs wrap-anywhere"
                title={texts.length > 1 ? texts.join('\n') : undefined}
              >
                {texts.length > 1 ? (
                  `Exactly these: ${texts.length} rules`
                ) : (
                  <CommandText>{texts[0] ?? ''}</CommandText>
                )}
              </code>
              <span className="block text-fg-2 text-xs">
                {alsoCovers === null ? (
                  'Covers nothing else.'
                ) : (
                  <>
                    Also covers <VisibleText>{alsoCovers}</VisibleText>.
                  </>
                )}
              </span>
            </span>
            {options.length > 1 && index < 9 && <Kbd keys={String(index + 1)} />}
          </label>
        ))}
      </div>
    </div>
  )
}
