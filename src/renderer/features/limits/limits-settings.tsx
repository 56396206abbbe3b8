import { Infinity as InfinityIcon } from 'lucide-react'
import { type KeyboardEvent, useId, useRef, useState } from 'react'
import { type AmountKind, defaultLimits } from '../../../shared/settings/limit-amounts.ts'
import type { Settings } from '../../../shared/settings/settings.ts'
import { useSession } from '../../stores/session-store.ts'
import { useChange } from '../../stores/settings-store.ts'
import { IconButton } from '../../ui/button.tsx'
import { Section } from '../../ui/setting-page.tsx'
import { NumberRow, Row } from '../../ui/setting-row.tsx'
import { Switch } from '../../ui/switch.tsx'
import { type LimitBounds, limitText, readLimit } from '../../ui/text/limit-text.ts'
import { INPUT_CLASS } from '../../ui/text-field.tsx'
import { LimitUse } from './limit-use.tsx'

/** The limits on the number of agents and on their spending. */
export function LimitsSettings() {
  return (
    <>
      <Section title="Each conversation, all agents together">
        <Whole
          title="Subagents at once"
          hint="More subagents wait in a queue. One that waits for you does not count, and the main agent never does."
          name="maxParallelAgents"
          min={1}
          max={100}
        />
        <Whole
          title="Total agents"
          hint="At this number, starting another agent fails with a message to its parent."
          name="maxAgents"
          min={1}
          max={1000}
        />
        <Whole
          title="Depth"
          hint="At 1 only the main agent starts agents, at 2 its subagents can, too. Definitions that name the types reach 3 levels."
          name="maxDepth"
          min={1}
          max={3}
        />
        {CONVERSATION.map((limit) => (
          <Amount key={limit.name} {...limit} />
        ))}
      </Section>
      <Section title="Each subagent, including its own subagents">
        {AGENT.map((limit) => (
          <Amount key={limit.name} {...limit} />
        ))}
        <ForkRow />
      </Section>
      <Section title="Usage limits of the API">
        <ResumeRow />
      </Section>
    </>
  )
}

type AmountName = Exclude<keyof typeof defaultLimits, 'maxParallelAgents' | 'maxAgents' | 'maxDepth'>

interface AmountLimit {
  readonly name: AmountName
  readonly title: string
  readonly hint: string
  readonly kind: AmountKind
  readonly bounds: LimitBounds
}

const TOKENS: LimitBounds = { min: 1000, max: null }
const OF_AN_AGENT: LimitBounds = { min: 'above 0', max: 10_000 }
const OF_A_CONVERSATION: LimitBounds = { min: 'above 0', max: 100_000 }

const CONVERSATION: readonly AmountLimit[] = [
  {
    name: 'conversationTokens',
    title: 'Conversation tokens',
    hint: 'Input and output; cached tokens count by their price.',
    kind: 'tokens',
    bounds: TOKENS,
  },
  {
    name: 'conversationUsd',
    title: 'Conversation US dollars',
    hint: 'At the known prices. Changed from the default, it refuses models without a price.',
    kind: 'usd',
    bounds: OF_A_CONVERSATION,
  },
  {
    name: 'conversationMinutes',
    title: 'Conversation minutes',
    hint: 'Work since the last message to the main agent, without waiting for you.',
    kind: 'minutes',
    bounds: OF_A_CONVERSATION,
  },
]

const AGENT: readonly AmountLimit[] = [
  {
    name: 'agentTokens',
    title: 'Agent tokens',
    hint: 'Input and output; cached tokens count by their price.',
    kind: 'tokens',
    bounds: TOKENS,
  },
  {
    name: 'agentUsd',
    title: 'Agent US dollars',
    hint: 'At the known prices. Changed from the default, it refuses models without a price.',
    kind: 'usd',
    bounds: OF_AN_AGENT,
  },
  {
    name: 'agentMinutes',
    title: 'Foreground minutes',
    hint: 'Time limit while its parent waits.',
    kind: 'minutes',
    bounds: OF_AN_AGENT,
  },
  {
    name: 'backgroundMinutes',
    title: 'Background minutes',
    hint: 'Time limit while its parent keeps working.',
    kind: 'minutes',
    bounds: OF_AN_AGENT,
  },
  {
    name: 'agentSpawns',
    title: 'Agents per agent',
    hint: 'Starting more fails with a message to the agent.',
    kind: 'agents',
    bounds: { min: 0, max: 1000 },
  },
]

function Amount(limit: AmountLimit) {
  const value = useSession((state) => state.settings[limit.name])
  return <LimitRow {...limit} value={value} usual={defaultLimits[limit.name]} />
}

interface WholeProps {
  readonly title: string
  readonly hint: string
  readonly name: 'maxParallelAgents' | 'maxAgents' | 'maxDepth'
  readonly min: number
  readonly max: number
}

function Whole({ hint, name, ...rest }: WholeProps) {
  const value = useSession((state) => state.settings[name])
  const [error, change] = useChange()
  const onChange = (next: number) => change({ [name]: next } satisfies Partial<Settings>)
  return (
    <NumberRow
      {...rest}
      name={name}
      hint={`${hint} Default: ${defaultLimits[name]}.`}
      value={value}
      now={<LimitUse name={name} />}
      error={error}
      onChange={onChange}
    />
  )
}

function ForkRow() {
  const on = useSession((state) => state.settings.forkSubagents)
  const [error, change] = useChange()
  return (
    <Row
      title="Fork by default"
      name="forkSubagents"
      now={<span />}
      hint="Agents without a type start as forks, with the whole conversation mostly read from the cache. Default: off."
      error={error}
    >
      <Switch
        label="Fork by default"
        checked={on}
        onChange={(forkSubagents) => void change({ forkSubagents })}
      />
    </Row>
  )
}

const RESUME = 'Resume after a restart'

/** Whether agents that wait for a usage limit resume by themselves after a restart. */
function ResumeRow() {
  const resumes = useSession((state) => state.settings.resumeAfterRestart)
  const [error, change] = useChange()
  return (
    <Row
      title={RESUME}
      name="resumeAfterRestart"
      now={<span />}
      hint="Agents that meet a usage limit wait for its end and continue by themselves. On: they also do after Troupe was closed and started again."
      error={error}
    >
      <Switch label={RESUME} checked={resumes} onChange={(on) => void change({ resumeAfterRestart: on })} />
    </Row>
  )
}

/** A limit of the settings: a number, or none. Applies on Enter and on blur; invalid text stays, with the reason. */
interface LimitRowProps {
  readonly title: string
  readonly hint: string
  readonly name: AmountName
  readonly kind: AmountKind
  readonly bounds: LimitBounds
  /** Null: no limit. */
  readonly value: number | null
  readonly usual: number | null
}

function LimitRow({ title, hint, name, kind, bounds, value, usual }: LimitRowProps) {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState<string | null>(null)
  const [error, change] = useChange()
  const read = typed === null ? null : readLimit(kind, typed, bounds)
  const wrong = read?.ok === false ? read.message : null

  const set = (next: number | null) => {
    setTyped(null)
    if (next !== value) void change({ [name]: next })
  }
  const take = () => {
    if (read?.ok) set(read.value)
  }
  /** An empty field on blur is no decision: only Enter and the button remove a limit. */
  const onBlur = () => {
    if (typed?.trim() === '') setTyped(null)
    else take()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') take()
    else if (event.key === 'Escape' && typed !== null) {
      setTyped(null)
      event.stopPropagation()
    }
  }
  const onNoLimit = () => {
    if (value !== null || typed !== null) set(null)
    else if (usual !== null) set(usual)
    else field.current?.focus()
  }
  return (
    <Row
      title={title}
      hint={`${hint} Default: ${usual === null ? 'no limit' : limitText(usual)}.`}
      name={name}
      now={<LimitUse name={name} />}
      error={wrong ?? error}
    >
      <label htmlFor={id} className="sr-only">
        {title}
      </label>
      <input
        ref={field}
        id={id}
        inputMode="decimal"
        autoComplete="off"
        value={typed ?? limitText(value)}
        placeholder="No limit"
        aria-invalid={wrong === null ? undefined : true}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={onBlur}
        onKeyDown={onKeyDown}
        className={`${INPUT_CLASS} h-7 w-24! text-right font-mono text-sm placeholder:text-fg-2`}
      />
      <IconButton
        label={`${title}: no limit`}
        hint={value === null && usual !== null ? 'Restore the default' : 'No limit'}
        icon={InfinityIcon}
        size={26}
        pressed={value === null && typed === null}
        // The blur of the field would apply the typed text first.
        onMouseDown={(event) => event.preventDefault()}
        onClick={onNoLimit}
      />
    </Row>
  )
}
