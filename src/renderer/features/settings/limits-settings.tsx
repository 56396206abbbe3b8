import type { ReactNode } from 'react'
import { defaultLimits } from '../../../shared/default-limits.ts'
import type { AmountKind } from '../../../shared/limit-amounts.ts'
import type { Settings } from '../../../shared/settings.ts'
import { useSession } from '../../stores/session-store.ts'
import type { Bounds } from '../../ui/limit-text.ts'
import { Switch } from '../../ui/switch.tsx'
import { LimitRow } from './limit-row.tsx'
import { NumberRow, Row, Section, useChange } from './setting-row.tsx'
import { SettingsFile } from './settings-file.tsx'

/** How many agents there may be, and what they may spend. */
export function LimitsSettings() {
  return (
    <Section
      id="limits"
      title="Limits"
      kept={
        <>
          Kept in <SettingsFile />. At a limit an agent reports and ends; you can raise it and let it go on.
        </>
      }
    >
      <Heading>Of a conversation, all its agents together</Heading>
      <Whole
        title="Agents at once"
        hint="More are queued and start as others end; an agent that waits holds no place."
        name="maxParallelAgents"
        min={1}
        max={100}
      />
      <Whole
        title="Agents in all"
        hint="At this number no more are started, and the agent that wanted one is told."
        name="maxAgents"
        min={1}
        max={1000}
      />
      <Whole
        title="Depth"
        hint="At 1 only the main agent starts agents; at 2 those do too."
        name="maxDepth"
        min={1}
        max={3}
      />
      {CONVERSATION.map((limit) => (
        <Amount key={limit.name} {...limit} />
      ))}
      <Heading>Of each subagent, with all that it starts</Heading>
      {AGENT.map((limit) => (
        <Amount key={limit.name} {...limit} />
      ))}
      <ForkRow />
    </Section>
  )
}

type AmountName = Exclude<keyof typeof defaultLimits, 'maxParallelAgents' | 'maxAgents' | 'maxDepth'>

interface AmountLimit {
  readonly name: AmountName
  readonly title: string
  readonly hint: string
  readonly kind: AmountKind
  readonly bounds: Bounds
}

const TOKENS: Bounds = { min: 1000, max: null }
const OF_AN_AGENT: Bounds = { min: 'above 0', max: 10_000 }
const OF_A_CONVERSATION: Bounds = { min: 'above 0', max: 100_000 }

const CONVERSATION: readonly AmountLimit[] = [
  {
    name: 'conversationTokens',
    title: 'Tokens of a conversation',
    hint: 'All that go in and out, those from the cache too.',
    kind: 'tokens',
    bounds: TOKENS,
  },
  {
    name: 'conversationUsd',
    title: 'US dollars of a conversation',
    hint: 'By the known prices. A model without one is refused while there is a limit.',
    kind: 'usd',
    bounds: OF_A_CONVERSATION,
  },
  {
    name: 'conversationMinutes',
    title: 'Minutes of a conversation',
    hint: 'Since the main agent was last spoken to.',
    kind: 'minutes',
    bounds: OF_A_CONVERSATION,
  },
]

const AGENT: readonly AmountLimit[] = [
  {
    name: 'agentTokens',
    title: 'Tokens of an agent',
    hint: 'All that go in and out, those from the cache too.',
    kind: 'tokens',
    bounds: TOKENS,
  },
  {
    name: 'agentUsd',
    title: 'US dollars of an agent',
    hint: 'By the known prices. A model without one is refused while there is a limit.',
    kind: 'usd',
    bounds: OF_AN_AGENT,
  },
  {
    name: 'agentMinutes',
    title: 'Minutes in the foreground',
    hint: 'Its parent waits for it so long.',
    kind: 'minutes',
    bounds: OF_AN_AGENT,
  },
  {
    name: 'backgroundMinutes',
    title: 'Minutes in the background',
    hint: 'Where its parent goes on without it.',
    kind: 'minutes',
    bounds: OF_AN_AGENT,
  },
  {
    name: 'agentSpawns',
    title: 'Agents that one agent starts',
    hint: 'More are refused, and the agent is told.',
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
      title="Agents without a type are forks"
      name="forkSubagents"
      hint="A fork begins with the whole conversation, mostly read from the cache. Default: off."
      error={error}
    >
      <Switch
        label="Agents without a type are forks"
        checked={on}
        onChange={(forkSubagents) => void change({ forkSubagents })}
      />
    </Row>
  )
}

function Heading({ children }: { readonly children: ReactNode }) {
  return <h3 className="bg-bg-2 px-4 py-1.5 font-medium text-fg-2 text-xs">{children}</h3>
}
