/** The limits of the conversation on the screen, above the status bar. */
import { Popover } from '@base-ui/react/popover'
import { type FormEvent, type RefObject, useId, useRef, useState } from 'react'
import type { SpendLimits } from '../../../shared/events/agent-event.ts'
import type { AmountKind } from '../../../shared/settings/limit-amounts.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { type FanOut, fanOutOf } from '../../../shared/state/fan-out.ts'
import { mostUsed, type Spent, shareOf, spentIn, usedOf } from '../../../shared/state/spending.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import {
  closeLimits,
  setLimits,
  useConversationLimits,
  useDefaultLimits,
  useLimits,
} from '../../stores/limits-store.ts'
import { useReadOnlyReason } from '../../stores/replay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { Button } from '../../ui/button.tsx'
import { useNow } from '../../ui/machine.ts'
import { Meter } from '../../ui/meter.tsx'
import { estimateText, formatDuration, formatTokens, moneyText } from '../../ui/text/format.ts'
import { limitText, type ReadLimit, readLimit } from '../../ui/text/limit-text.ts'
import { INPUT_CLASS } from '../../ui/text-field.tsx'
import { useFinalFocus } from '../../ui/use-focus.ts'

export function LimitsPopover() {
  const conversationId = useConversation((state) => state.conversationId)
  const open = useLimits((state) => state.shownFor !== null && state.shownFor === conversationId)
  const finalFocus = useFinalFocus(open)
  const first = useRef<HTMLInputElement>(null)
  return (
    <Popover.Root open={open} onOpenChange={(next) => !next && closeLimits()} modal="trap-focus">
      <Popover.Portal>
        <Popover.Positioner
          anchor={() => document.querySelector('[data-limits-anchor]')}
          side="top"
          align="start"
          sideOffset={6}
          className="z-40"
        >
          <Popover.Popup
            initialFocus={first}
            finalFocus={finalFocus}
            className="w-[27rem] max-w-[calc(100vw-24px)] rounded-md border border-line-strong bg-bg-1 p-4 shadow-popup outline-none [--agent:var(--fg-2)]"
          >
            <Popover.Title className="font-semibold text-fg-0 text-md">Conversation limits</Popover.Title>
            {open && conversationId !== null && <Limits conversationId={conversationId} first={first} />}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

interface LimitsProps {
  readonly conversationId: string
  readonly first: RefObject<HTMLInputElement | null>
}

function Limits({ conversationId, first }: LimitsProps) {
  const limits = useConversationLimits()
  const defaults = useDefaultLimits()
  const agents = useConversation((state) => state.agents)
  const readOnly = useConversation((state) => state.readOnly)
  const reason = useReadOnlyReason()
  const mostAgents = useSession((state) => state.settings.maxAgents)
  const now = useNow(true)
  const spent = spentIn(agents.values())
  const most = mostUsed(usedOf({ of: 'conversation', agentId: null, limits, spent }, now))
  // The field of the reached limit keeps the focus, even if the elapsed time changes the closest limit.
  const firstKey = useRef<LimitKey>(most !== null && shareOf(most) >= 1 ? KEYS[most.limit] : 'tokens').current
  const unpriced = [...new Set([...agents.values()].filter(isUnpriced).map(({ model }) => model))]
  return (
    <>
      <Popover.Description className="pb-3 text-fg-2 text-sm">
        {readOnly
          ? reason
          : 'For all agents together. At a limit they report and end; raise it to continue. An empty field means no limit.'}
      </Popover.Description>
      <Estimate limits={limits} spent={spent} fanOut={fanOutOf(agents.values())} />
      <LimitsForm
        conversationId={conversationId}
        limits={limits}
        defaults={defaults}
        spent={spent}
        now={now}
        unpriced={unpriced}
        readOnly={readOnly}
        first={{ key: firstKey, ref: first }}
        onDone={closeLimits}
      />
      <p className="mt-3 border-line border-t pt-2.5 text-fg-2 text-sm">
        {agents.size.toLocaleString('en')} of {mostAgents.toLocaleString('en')} agents. Settings has this
        limit and the limits of a single agent.
      </p>
    </>
  )
}

interface EstimateProps {
  readonly limits: SpendLimits
  readonly spent: Spent
  readonly fanOut: FanOut | null
}

/** What many agents at work will still spend, and whether a limit will stop them. */
function Estimate({ limits, spent, fanOut }: EstimateProps) {
  if (fanOut === null) return null
  const isOver =
    (limits.tokens !== null && spent.tokens + fanOut.tokens > limits.tokens) ||
    (limits.usd !== null && fanOut.usd !== null && spent.usd + fanOut.usd > limits.usd)
  return (
    <p className="mb-3 rounded-md bg-bg-2 px-2.5 py-2 text-fg-1 text-sm">
      Estimate for the {fanOut.agents} agents at work: {estimateText(fanOut)} more
      {fanOut.isMeasured ? ', after those that have ended' : ', by usual figures: none has ended yet'}.
      {isOver && <strong className="font-semibold text-bad"> That is more than the limits leave.</strong>}
    </p>
  )
}

/** Whether the agent has an unknown cost, or was refused for it. */
function isUnpriced({ priced, failure }: AgentState): boolean {
  return !priced || failure?.message.includes('has no known price') === true
}

const KEYS = { tokens: 'tokens', money: 'usd', time: 'ms' } as const

/** The fields for the limits of a conversation, each with the amount spent. */
export type LimitKey = 'tokens' | 'usd' | 'ms'

interface LimitsFormProps {
  readonly conversationId: string
  /** The current limits. */
  readonly limits: SpendLimits
  /** The limits of the settings. */
  readonly defaults: SpendLimits
  readonly spent: Spent
  /** Ms since the epoch. */
  readonly now: number
  /** Models of the conversation without a known price. */
  readonly unpriced: readonly string[]
  readonly readOnly: boolean
  /** The field that gets the focus. */
  readonly first: { readonly key: LimitKey; readonly ref: RefObject<HTMLInputElement | null> }
  readonly onDone: () => void
}

const FIELDS: readonly { readonly key: LimitKey; readonly title: string; readonly kind: AmountKind }[] = [
  { key: 'tokens', title: 'Tokens', kind: 'tokens' },
  { key: 'usd', title: 'US dollars', kind: 'usd' },
  { key: 'ms', title: 'Minutes', kind: 'minutes' },
]

export function LimitsForm(props: LimitsFormProps) {
  const { conversationId, limits, defaults, spent, now, unpriced, readOnly, first, onDone } = props
  const [typed, setTyped] = useState<Partial<Record<LimitKey, string>>>({})
  const [problem, setProblem] = useState<string | null>(null)
  const [isSaving, setSaving] = useState(false)
  const reads = FIELDS.map(({ key, kind }) => ({ key, read: readField(typed[key], limits[key], kind) }))
  const isWrong = reads.some(({ read }) => !read.ok)

  const save = async (next: SpendLimits | null) => {
    setSaving(true)
    const answer = await setLimits(conversationId, next)
    setSaving(false)
    if (answer.ok) onDone()
    else setProblem(answer.failure.message)
  }
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (isWrong || isSaving || readOnly) return
    const next = { ...limits }
    for (const { key, read } of reads) if (read.ok) next[key] = read.value
    if (next.usd !== limits.usd) delete next.usdByDefault
    if (FIELDS.every(({ key }) => next[key] === limits[key])) onDone()
    else void save(next)
  }
  const noteOf = (key: LimitKey) => {
    switch (key) {
      case 'tokens':
        return 'Cached tokens count by their price.'
      case 'usd':
        return unpricedText(unpriced, limits.usdByDefault === true && typed.usd === undefined)
      case 'ms':
        return `The limit counts from a message to the idle main agent: ${formatDuration(spent.ms(now))} now.`
    }
  }
  return (
    <form onSubmit={onSubmit} className="flex flex-col gap-3">
      {FIELDS.map(({ key, title, kind }) => (
        <LimitField
          key={key}
          title={title}
          text={typed[key] ?? fieldText(limits[key], kind)}
          read={reads.find((read) => read.key === key)?.read ?? { ok: true, value: null }}
          spent={spentOf(key, spent, now)}
          spentText={spentText(key, spent, now)}
          note={noteOf(key)}
          inputRef={key === first.key ? first.ref : undefined}
          readOnly={readOnly}
          onChange={(text) => setTyped({ ...typed, [key]: text })}
        />
      ))}
      <div aria-live="polite" className="text-bad text-sm empty:hidden">
        {problem}
      </div>
      <div className="flex items-center justify-end gap-2">
        {!readOnly && !isSame(limits, defaults) && (
          <Button size="md" variant="quiet" className="mr-auto -ml-3" onClick={() => void save(null)}>
            Use defaults
          </Button>
        )}
        <Button size="md" onClick={onDone}>
          Close
        </Button>
        <Button
          size="md"
          variant="primary"
          type="submit"
          focusableWhenDisabled
          disabled={isWrong || isSaving || readOnly}
        >
          Save
        </Button>
      </div>
    </form>
  )
}

interface LimitFieldProps {
  readonly title: string
  readonly text: string
  readonly read: ReadLimit
  /** In the unit of the limit. */
  readonly spent: number
  readonly spentText: string
  readonly note: string | null
  readonly inputRef: RefObject<HTMLInputElement | null> | undefined
  readonly readOnly: boolean
  readonly onChange: (text: string) => void
}

function LimitField(props: LimitFieldProps) {
  const { title, text, read, spent, spentText, note, inputRef, readOnly, onChange } = props
  const id = useId()
  const most = read.ok ? read.value : null
  const isPassed = most !== null && spent >= most
  return (
    <div className="flex flex-col gap-1">
      <div className="grid grid-cols-[5.5rem_8rem_minmax(0,1fr)] items-center gap-2.5">
        <label htmlFor={id} className="text-fg-1 text-md">
          {title}
        </label>
        <input
          ref={inputRef}
          id={id}
          inputMode="decimal"
          autoComplete="off"
          spellCheck={false}
          value={text}
          readOnly={readOnly}
          placeholder="no limit"
          aria-invalid={read.ok ? undefined : true}
          aria-describedby={`${id}-spent ${id}-message`}
          onChange={(event) => onChange(event.target.value)}
          onFocus={(event) => event.target.select()}
          className={`${INPUT_CLASS} h-[1.875rem] text-right font-mono text-sm placeholder:text-fg-2`}
        />
        <span id={`${id}-spent`} className="flex items-center gap-2 whitespace-nowrap text-fg-2 text-sm">
          {most !== null && <Meter of="conversation" value={spent} max={most} />}
          {spentText} spent
        </span>
      </div>
      <div id={`${id}-message`} aria-live="polite" className="flex flex-col gap-0.5 text-sm empty:hidden">
        {!read.ok && <span className="text-bad">{read.message}</span>}
        {isPassed && <span className="text-fg-1">Already spent: agents report and end at once.</span>}
        {note !== null && most !== null && <span className="text-fg-1">{note}</span>}
      </div>
    </div>
  )
}

/** The value of a field; for an untouched field the limit itself, since its text may be rounded. */
function readField(typed: string | undefined, limit: number | null, kind: AmountKind): ReadLimit {
  if (typed === undefined) return { ok: true, value: limit }
  const read = readLimit(kind, typed, { min: kind === 'tokens' ? 1 : 'above 0', max: null })
  return read.ok && read.value !== null && kind === 'minutes'
    ? { ok: true, value: read.value * 60_000 }
    : read
}

function fieldText(limit: number | null, kind: AmountKind): string {
  return limitText(limit !== null && kind === 'minutes' ? limit / 60_000 : limit)
}

/** In the unit of the limit. */
function spentOf(key: LimitKey, spent: Spent, now: number): number {
  return key === 'ms' ? spent.ms(now) : spent[key]
}

function spentText(key: LimitKey, spent: Spent, now: number): string {
  switch (key) {
    case 'tokens':
      return formatTokens(spent.tokens)
    case 'usd':
      return moneyText(spent.usd, spent.priced)
    case 'ms':
      return formatDuration(spent.totalMs(now))
  }
}

function unpricedText(models: readonly string[], byDefault: boolean): string | null {
  if (models.length === 0) return null
  const cost = `The cost of ${models.join(' and ')} is unknown:`
  return byDefault
    ? `${cost} this default limit does not count it. Limit tokens instead.`
    : `${cost} its requests are refused under a money limit of your own. Choose another model, or limit tokens instead.`
}

const isSame = (a: SpendLimits, b: SpendLimits) => FIELDS.every(({ key }) => a[key] === b[key])
