/** The menus for the options of a program's own session: its model, its mode and others. */
import { ChevronDown, Plug, SlidersHorizontal } from 'lucide-react'
import { Fragment } from 'react'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { ChipButton } from '../../ui/chip.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Menu, MenuChoice, MenuHeading } from '../../ui/menu.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import type { ProgramOption } from '../../ui/text/program-text.ts'
import { setProgramOption, useProgramActions } from './program-actions.ts'

/** Options with a menu of their own; the others share one. */
const OWN_MENU = ['model', 'mode'] as const

/** In a narrow container one menu has all options. Renders nothing for a program without options. */
export function ProgramOptions({ agent }: { readonly agent: AgentState }) {
  const options = (agent.program?.options ?? []).filter(({ values }) => values.length > 0)
  if (options.length === 0) return null
  const own = OWN_MENU.flatMap((category) => options.filter((one) => one.category === category).slice(0, 1))
  const others = options.filter((option) => !own.includes(option))
  return (
    <span className="flex min-w-0 shrink-0 items-center gap-1.5">
      {own.map((option) => (
        <OptionMenu key={option.id} agentId={agent.id} option={option} />
      ))}
      {others.length > 0 && (
        <span className="@max-[22rem]:hidden">
          <AllOptions agentId={agent.id} options={others} label="More options" />
        </span>
      )}
      <span className="@min-[22rem]:hidden">
        <AllOptions agentId={agent.id} options={options} label="Options" />
      </span>
    </span>
  )
}

function OptionMenu({ agentId, option }: { readonly agentId: string; readonly option: ProgramOption }) {
  const current = nameOf(option)
  const busy = useProgramActions((state) => state.busy.has(`${agentId} ${option.id}`))
  return (
    <Menu
      side="top"
      align="end"
      trigger={
        <ChipButton
          aria-label={`${makeVisible(option.name)}: ${current}`}
          aria-busy={busy}
          title={`${makeVisible(option.name)}: ${current}`}
          className="h-5 max-w-32 @max-[22rem]:hidden text-xs"
        >
          <Plug size={11} strokeWidth={1.75} aria-hidden="true" className="shrink-0 text-fg-2" />
          <span className={classNames('truncate', option.category === 'model' && 'font-mono')}>
            {current}
          </span>
          <ChevronDown size={11} aria-hidden="true" className="shrink-0 text-fg-2" />
        </ChipButton>
      }
    >
      <Choice agentId={agentId} option={option} />
    </Menu>
  )
}

interface AllOptionsProps {
  readonly agentId: string
  readonly options: readonly ProgramOption[]
  readonly label: string
}

function AllOptions({ agentId, options, label }: AllOptionsProps) {
  return (
    <Menu side="top" align="end" trigger={<IconButton label={label} icon={SlidersHorizontal} />}>
      {options.map((option) => (
        <Fragment key={option.id}>
          <Choice agentId={agentId} option={option} />
        </Fragment>
      ))}
    </Menu>
  )
}

function Choice({ agentId, option }: { readonly agentId: string; readonly option: ProgramOption }) {
  return (
    <>
      <MenuHeading>{makeVisible(option.name)}</MenuHeading>
      <MenuChoice
        value={option.current}
        options={option.values.map(({ id, name, description }) => ({
          value: id,
          label: makeVisible(name),
          ...(description !== '' && { hint: makeVisible(description) }),
        }))}
        onChange={(value) => {
          if (value !== option.current) void setProgramOption(agentId, option.id, value)
        }}
      />
    </>
  )
}

const nameOf = ({ current, values }: ProgramOption): string =>
  makeVisible(values.find(({ id }) => id === current)?.name ?? current)
