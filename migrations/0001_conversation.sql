CREATE TABLE `approvals` (
	`scope` text NOT NULL,
	`key` text NOT NULL,
	`label` text NOT NULL,
	`by` text NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`scope`, `key`)
);
--> statement-breakpoint
CREATE TABLE `asks` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`turn_id` integer NOT NULL,
	`call_id` text NOT NULL,
	`n` integer NOT NULL,
	`token` text NOT NULL,
	`chat` text NOT NULL,
	`number` integer NOT NULL,
	`lane` text NOT NULL,
	`target` text NOT NULL,
	`requester` text NOT NULL,
	`body` text NOT NULL,
	`state` text NOT NULL,
	`decision` text,
	`card_id` integer NOT NULL,
	`card_closed` integer DEFAULT false NOT NULL,
	`deadline` integer NOT NULL,
	`created_at` integer NOT NULL,
	`closed_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `asks_call` ON `asks` (`turn_id`,`call_id`,`n`);--> statement-breakpoint
CREATE UNIQUE INDEX `asks_token` ON `asks` (`token`);--> statement-breakpoint
CREATE INDEX `asks_open` ON `asks` (`chat`,`number`) WHERE state = 'open';--> statement-breakpoint
CREATE INDEX `asks_cards` ON `asks` (`id`) WHERE state <> 'open' and card_closed = 0;--> statement-breakpoint
CREATE TABLE `chat_settings` (
	`lane` text PRIMARY KEY NOT NULL,
	`settings` text NOT NULL
);
--> statement-breakpoint
ALTER TABLE `inbox` ADD `mode` text;--> statement-breakpoint
ALTER TABLE `messages` ADD `undone` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `title` text;--> statement-breakpoint
ALTER TABLE `sessions` ADD `settings` text DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE `turns` ADD `cut` text;--> statement-breakpoint
ALTER TABLE `turns` ADD `requester` text DEFAULT '{"id":"","name":""}' NOT NULL;--> statement-breakpoint
ALTER TABLE `turns` ADD `input_tokens` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `turns` ADD `output_tokens` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `outbox_sent` ON `outbox` (`lane`,`sent_id`);