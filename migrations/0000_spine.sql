CREATE TABLE `account_data` (
	`account` text NOT NULL,
	`key` text NOT NULL,
	`value` text NOT NULL,
	PRIMARY KEY(`account`, `key`)
);
--> statement-breakpoint
CREATE TABLE `calls` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`turn_id` integer NOT NULL,
	`call_id` text NOT NULL,
	`tool` text NOT NULL,
	`arguments` text NOT NULL,
	`status` text,
	`started_at` integer NOT NULL,
	`finished_at` integer
);
--> statement-breakpoint
CREATE INDEX `calls_open` ON `calls` (`turn_id`) WHERE finished_at is null;--> statement-breakpoint
CREATE TABLE `inbox` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`platform` text NOT NULL,
	`account` text NOT NULL,
	`event` text NOT NULL,
	`lane` text NOT NULL,
	`payload` text NOT NULL,
	`state` text NOT NULL,
	`outcome` text,
	`turn_id` integer,
	`received_at` integer NOT NULL,
	`settled_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `inbox_event` ON `inbox` (`platform`,`account`,`event`);--> statement-breakpoint
CREATE INDEX `inbox_open` ON `inbox` (`lane`,`id`) WHERE state <> 'done';--> statement-breakpoint
CREATE INDEX `inbox_turn` ON `inbox` (`turn_id`);--> statement-breakpoint
CREATE INDEX `inbox_settled` ON `inbox` (`settled_at`);--> statement-breakpoint
CREATE TABLE `messages` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`session_id` text NOT NULL,
	`turn_id` integer NOT NULL,
	`body` text NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `messages_session` ON `messages` (`session_id`,`id`);--> statement-breakpoint
CREATE TABLE `meta` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `outbox` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`turn_id` integer,
	`lane` text NOT NULL,
	`group` integer NOT NULL,
	`purpose` text NOT NULL,
	`payload` text NOT NULL,
	`state` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`unknowns` integer DEFAULT 0 NOT NULL,
	`not_before` integer DEFAULT 0 NOT NULL,
	`sent_id` text,
	`error` text,
	`created_at` integer NOT NULL,
	`settled_at` integer
);
--> statement-breakpoint
CREATE INDEX `outbox_open` ON `outbox` (`lane`,`id`) WHERE state in ('pending', 'sending');--> statement-breakpoint
CREATE INDEX `outbox_turn` ON `outbox` (`turn_id`);--> statement-breakpoint
CREATE INDEX `outbox_settled` ON `outbox` (`settled_at`);--> statement-breakpoint
CREATE TABLE `penalties` (
	`scope` text PRIMARY KEY NOT NULL,
	`until` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `refusals` (
	`account` text NOT NULL,
	`sender` text NOT NULL,
	`count` integer NOT NULL,
	`last_at` integer NOT NULL,
	`noticed_at` integer,
	PRIMARY KEY(`account`, `sender`)
);
--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`key` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`ended_at` integer,
	`end_reason` text,
	`workspace` text NOT NULL,
	`trimmed_told` integer DEFAULT false NOT NULL,
	`undelivered` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_open` ON `sessions` (`key`) WHERE ended_at is null;--> statement-breakpoint
CREATE TABLE `turns` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`session_id` text NOT NULL,
	`lane` text NOT NULL,
	`target` text NOT NULL,
	`state` text NOT NULL,
	`starts` integer NOT NULL,
	`bubble` text,
	`stopped` integer DEFAULT false NOT NULL,
	`media_kept` integer DEFAULT true NOT NULL,
	`outcome` text,
	`error` text,
	`created_at` integer NOT NULL,
	`ended_at` integer
);
--> statement-breakpoint
CREATE INDEX `turns_running` ON `turns` (`lane`) WHERE state = 'running';--> statement-breakpoint
CREATE INDEX `turns_ended` ON `turns` (`ended_at`);