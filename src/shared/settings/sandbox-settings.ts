/** The setting `sandbox`, in the form that people's settings files have: its defaults, and the type that follows. */
const none: string[] = []

export const defaultSandboxSettings = {
  enabled: true,
  autoAllowBashIfSandboxed: true,
  allowUnsandboxedCommands: true,
  excludedCommands: none,
  network: { allowedDomains: none, allowUnixSockets: none },
  filesystem: { allowWrite: none, allowRead: none, denyRead: none },
  limits: { memoryMegabytes: 8192, processes: 4096 },
}
export type SandboxSettings = typeof defaultSandboxSettings
