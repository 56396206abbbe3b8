import { useSession } from '../../stores/session-store.ts'
import { SelectMenu } from '../../ui/select-menu.tsx'
import { Row, useChange } from './setting-row.tsx'

const CHOICES = [
  { value: 'ask', label: 'asks', hint: 'Each time, what shall become of them' },
  { value: 'keep-running', label: 'keeps them running', hint: 'Without a window; the tray leads back to it' },
  { value: 'stop', label: 'stops them', hint: 'They can go on at the next start' },
] as const

/** What closing the window means while agents work. */
export function ClosingRow() {
  const whenClosed = useSession((state) => state.settings.whenClosed)
  const [error, change] = useChange()
  return (
    <Row
      title="Closing the window while agents work"
      name="whenClosed"
      hint="With nobody at work, closing it ends Troupe."
      error={error}
    >
      <SelectMenu
        label="Closing the window while agents work"
        value={whenClosed}
        options={CHOICES}
        onChange={(value) => void change({ whenClosed: value })}
      />
    </Row>
  )
}
