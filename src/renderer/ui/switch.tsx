import { Switch as Base } from '@base-ui/react/switch'

interface SwitchProps {
  readonly label: string
  readonly checked: boolean
  readonly disabled?: boolean
  readonly onChange: (checked: boolean) => void
}

/** On or off, in effect at once. Its label is for screen readers: write the words beside it too. */
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
