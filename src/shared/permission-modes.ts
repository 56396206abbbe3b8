/** What is asked, allowed or denied without a rule. */

export const permissionModes = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'] as const
export type PermissionMode = (typeof permissionModes)[number]
