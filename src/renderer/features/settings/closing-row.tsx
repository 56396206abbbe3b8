import { useSession } from '../../stores/session-store.ts'
import { SelectMenu } from '../../ui/select-menu.tsx'
import { Row, useChange } from './setting-row.tsx'

const CHOICES = [
  { value: 'ask', label: 'Ask', hint: 'Asks what to do with the agents' },
  {
    value: 'keep-running',
    label: 'Keep running',
    hint: 'Agents run without a window; the tray icon opens it again',
  },
  { value: 'stop', label: 'Stop agents', hint: 'You can continue them after the next start' },
] as const

/** The effect of closing the window while agents are running. */
export function ClosingRow() {
  const whenClosed = useSession((state) => state.settings.whenClosed)
  const [error, change] = useChange()
  return (
    <Row
      title="Close with running agents"
      name="whenClosed"
      hint="Without running agents, closing the window quits Troupe."
      error={error}
    >
      <SelectMenu
        label="Close with running agents"
        value={whenClosed}
        options={CHOICES}
        onChange={(value) => void change({ whenClosed: value })}
      />
    </Row>
  )
}
