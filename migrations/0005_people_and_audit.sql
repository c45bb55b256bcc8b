CREATE TABLE `pairing_limits` (
	`account` text NOT NULL,
	`person` text NOT NULL,
	`failures` integer NOT NULL,
	`until` integer NOT NULL,
	PRIMARY KEY(`account`, `person`)
);
--> statement-breakpoint
CREATE TABLE `pairing_requests` (
	`id` text PRIMARY KEY NOT NULL,
	`account` text NOT NULL,
	`person` text NOT NULL,
	`aliases` text NOT NULL,
	`name` text NOT NULL,
	`chat` text NOT NULL,
	`salt` text NOT NULL,
	`hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `pairing_requests_account` ON `pairing_requests` (`account`);--> statement-breakpoint
CREATE TABLE `people` (
	`account` text NOT NULL,
	`person` text NOT NULL,
	`aliases` text NOT NULL,
	`name` text NOT NULL,
	`role` text NOT NULL,
	`group_role` text NOT NULL,
	`chat` text NOT NULL,
	`approved_by` text NOT NULL,
	`approved_at` integer NOT NULL,
	PRIMARY KEY(`account`, `person`)
);
--> statement-breakpoint
CREATE TABLE `audit` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` integer NOT NULL,
	`event` text NOT NULL,
	`account` text NOT NULL,
	`person` text NOT NULL,
	`tool` text NOT NULL,
	`facts` text NOT NULL,
	`hash` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_at` ON `audit` (`at`);