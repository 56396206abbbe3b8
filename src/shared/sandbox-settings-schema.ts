/** The setting `sandbox`, as settings files have it. */
import { z } from 'zod'
import { defaultSandboxSettings as defaults } from './sandbox-settings.ts'

const paths = z.array(z.string().min(1).max(4096)).max(200)

/** `example.com`, or `*.example.com` for its subdomains. */
const domain = z
  .string()
  .max(253)
  .regex(
    /^(\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/i,
    'no host: write example.com, or *.example.com for all below it',
  )

export const sandboxSettings = z.object({
  enabled: z.boolean().default(defaults.enabled),
  /** Whether a command that can only touch its agent's folder runs without a question. */
  autoAllowBashIfSandboxed: z.boolean().default(defaults.autoAllowBashIfSandboxed),
  /** Whether an agent may ask to run a command outside the sandbox. */
  allowUnsandboxedCommands: z.boolean().default(defaults.allowUnsandboxedCommands),
  /** Commands that always run outside, by their first words: `docker`, `npm publish`. They are asked about. */
  excludedCommands: z.array(z.string().min(1).max(200)).max(200).default([]),
  network: z
    .object({
      allowedDomains: z.array(domain).max(500).default([]),
      /** Sockets of this machine that commands reach: absolute paths, `~/…`, or `$SSH_AUTH_SOCK`. */
      allowUnixSockets: paths.default([]),
    })
    .default(defaults.network),
  /** Absolute paths, or `~/…`. */
  filesystem: z
    .object({
      allowWrite: paths.default([]),
      /** Of the home, which commands do not see otherwise. */
      allowRead: paths.default([]),
      denyRead: paths.default([]),
    })
    .default(defaults.filesystem),
  /** Of each process of a command, and of the user's processes together. */
  limits: z
    .object({
      memoryMegabytes: z.number().int().min(64).max(1_000_000).default(defaults.limits.memoryMegabytes),
      processes: z.number().int().min(16).max(100_000).default(defaults.limits.processes),
    })
    .default(defaults.limits),
})
