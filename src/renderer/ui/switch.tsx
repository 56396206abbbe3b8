import { Switch as Base } from '@base-ui/react/switch'

interface SwitchProps {
  readonly label: string
  readonly checked: boolean
  readonly disabled?: boolean
  readonly onChange: (checked: boolean) => void
}

/** A switch that applies at once. The label is for screen readers; show the text beside the switch, too. */
export function Switch({ label, checked, disabled, onChange }: SwitchProps) {
  return (
    <Base.Root
      aria-label={label}
      checked={checked}
      disabled={disabled ?? false}
      onCheckedChange={onChange}
      className="inline-flex h-[18px] w-8 shrink-0 items-center rounded-full border border-line-strong bg-bg-3 px-0.5 data-[checked]:border-accent data-[checked]:bg-accent data-[disabled]:opacity-60"
    >
      <Base.Thumb className="size-3 rounded-full bg-fg-1 transition-transform duration-100 data-[checked]:translate-x-[13px] data-[checked]:bg-on-accent" />
    </Base.Root>
  )
}
